# Finds a Java that is new enough. Sourced by the other scripts; needs bash.
# shellcheck shell=bash

TILEWRIGHT_JAVA_NEEDED=25

# Sets java_major to the feature version of the Java in folder $1, or to 0. The file "release" that every JDK carries
# says it at once; starting a JVM to ask would cost as much as the command itself.
read_java_major() {
  local line version=
  java_major=0
  [[ -x $1/bin/java ]] || return 0
  if [[ -r $1/release ]]; then
    while IFS= read -r line || [[ -n $line ]]; do
      if [[ $line == JAVA_VERSION=* ]]; then
        version=${line#JAVA_VERSION=}
      fi
    done <"$1/release"
  else
    version=$("$1/bin/java" -version 2>&1 | sed -n 's/.* version \("[^"]*"\).*/\1/p' | head -n 1) || true
  fi
  version=${version//\"/}
  version=${version#1.}
  version=${version%%[^0-9]*}
  java_major=${version:-0}
}

# Sets java_home to the Java to use: JAVA_HOME, the usual folders, PATH, in this order, the first that is new enough
# and has the tools named as arguments (javac, jlink). Returns 1 if there is none.
find_java() {
  local candidate tool on_path
  local -a candidates=()
  if [[ -n ${JAVA_HOME:-} ]]; then
    candidates+=("$JAVA_HOME")
  fi
  for candidate in /usr/lib/jvm/* /usr/lib64/jvm/* /usr/java/* /opt/* /opt/java/* /opt/jdk/* \
      "${HOME:-/nonexistent}"/{.sdkman/candidates/java,.jdks,.asdf/installs/java,.local/share/mise/installs/java}/* \
      /Library/Java/JavaVirtualMachines/*/Contents/Home; do
    candidates+=("$candidate")
  done
  if on_path=$(command -v java); then
    on_path=$(readlink -f "$on_path")
    candidates+=("${on_path%/bin/java}")
  fi
  for candidate in "${candidates[@]}"; do
    read_java_major "$candidate"
    ((java_major >= TILEWRIGHT_JAVA_NEEDED)) || continue
    for tool in "$@"; do
      [[ -x $candidate/bin/$tool ]] || continue 2
    done
    # shellcheck disable=SC2034  # it is the answer
    java_home=$candidate
    return 0
  done
  return 1
}
