# An image for CI runners with a GPU: the same as no-gpu.Dockerfile, on NVIDIA's base image, which says to the container
# toolkit that it wants the GPU and which driver is too old. It needs no CUDA toolkit. Build it in a checkout of Tilewright:
#
#   docker build -f ci/docker/gpu.Dockerfile -t tilewright:gpu .
#   docker run --rm --gpus all tilewright:gpu tilewright doctor
#
# Checked by a linter; its commands were run on Debian, but no image was built of it: no Docker was at hand.
# Base images are pinned by digest, and the tag before it says which version it is. A mirror of Docker Hub keeps digests:
# --build-arg REGISTRY=mirror.example.com
ARG REGISTRY=docker.io
FROM ${REGISTRY}/library/eclipse-temurin:25.0.3_9-jdk@sha256:201fbb8886b2d273218aa3a192f0afbf7b5ff65ee8cc6ef47f5dce2171f013ea AS jdk

FROM ${REGISTRY}/nvidia/cuda:12.9.1-base-ubuntu24.04@sha256:5d2e53778e2180e01676aa8bac1aada242e95230ec97e21ecfb33de4e27cd1df

COPY --from=jdk /opt/java/openjdk /opt/java/openjdk
ENV JAVA_HOME=/opt/java/openjdk
ENV PATH=/opt/java/openjdk/bin:$PATH

RUN apt-get update \
 && apt-get install -y --no-install-recommends ca-certificates git maven \
 && rm -rf /var/lib/apt/lists/*

# The driver's library and nvidia-smi come from the host, when a container is started.
ENV NVIDIA_DRIVER_CAPABILITIES=compute,utility
ENV TILEWRIGHT_HOME=/opt/tilewright
WORKDIR /opt/tilewright
COPY . .

# Builds the command, and compiles a kernel with the NVRTC that it fetches: the one of CUDA 12.9, which every driver loads
# that this image starts with.
ENV TILEWRIGHT_NVRTC_EMBEDDED=12.9
RUN scripts/tilewright verify --presets tensor-copy --cases 1

WORKDIR /work
ENV PATH=/opt/tilewright/scripts:$PATH
CMD ["tilewright", "doctor"]
