# Runs Maven quietly. Sourced by the other scripts, which define note(); needs bash.
# shellcheck shell=bash

# Runs Maven in folder $1 on the JDK in java_home, so that it finds that JDK wherever it lies. All output goes to file
# $2, and one line for each step to note. Further arguments are Maven's. Prints the errors and returns 1 if it fails.
run_maven() {
  local folder=$1 log=$2 line
  shift 2
  # shellcheck disable=SC2154  # find_java sets java_home
  if (cd "$folder" && JAVA_HOME=$java_home exec mvn -B -ntp -Dstyle.color=never "$@" </dev/null 2>&1) \
    | tee "$log" \
    | while IFS= read -r line; do
        if [[ $line =~ ^'[INFO] --- '[^:]+:[^:]+:([^ ]+) ]]; then note "  ${BASH_REMATCH[1]}"; fi
      done; then
    return 0
  fi
  grep '^\[ERROR\] .' "$log" | grep -v -e 're-run Maven' -e 'Re-run Maven' -e '\[Help 1\]' | head -n 20 >&2 || true
  note "the build failed; all of its output is in $log"
  return 1
}
