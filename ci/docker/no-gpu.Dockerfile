# An image for CI runners without a GPU: a JDK 25, Maven, and Tilewright, built, with the NVRTC that it fetches from Maven
# Central. Build it in a checkout of Tilewright:
#
#   docker build -f ci/docker/no-gpu.Dockerfile -t tilewright:no-gpu .
#
# Checked by a linter; its commands were run on Debian, but no image was built of it: no Docker was at hand.
# Base images are pinned by digest, and the tag before it says which version it is. A mirror of Docker Hub keeps digests:
# --build-arg REGISTRY=mirror.example.com
ARG REGISTRY=docker.io
FROM ${REGISTRY}/library/eclipse-temurin:25.0.3_9-jdk@sha256:201fbb8886b2d273218aa3a192f0afbf7b5ff65ee8cc6ef47f5dce2171f013ea

RUN apt-get update \
 && apt-get install -y --no-install-recommends ca-certificates git maven \
 && rm -rf /var/lib/apt/lists/*

ENV TILEWRIGHT_HOME=/opt/tilewright
WORKDIR /opt/tilewright
COPY . .

# Builds the command, and compiles a kernel with the NVRTC that it fetches.
RUN scripts/tilewright verify --presets tensor-copy --cases 1

WORKDIR /work
ENV PATH=/opt/tilewright/scripts:$PATH
CMD ["tilewright", "doctor"]
