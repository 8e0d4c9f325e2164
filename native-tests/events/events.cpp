// One event that several threads record, each in captures of a stream of its own and after them: driver 580 crashes unless
// a record of the event and the end of a capture are kept apart. Each case runs in a process of its own:
//     g++ -std=c++17 -O2 -I"$CUDA_HOME/include" events.cpp -o events -lcuda && ./events 0 2 3
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <mutex>
#include <thread>
#include <unistd.h>
#include <vector>
#include <cuda.h>

enum { SHARED, RECORDS_APART, RECORDS_AND_ENDS_APART, EVENTS_OF_THEIR_OWN };

static void check(CUresult result, const char *call) {
  if (result != CUDA_SUCCESS) {
    printf("%s: CUresult %d\n", call, result);
    _exit(3);
  }
}
#define CHECK(call) check(call, #call)

static std::mutex mutex;

// Makes a call, and if asked, while no other thread makes one so.
template <typename Call> static void apart(bool asked, Call call) {
  std::unique_lock<std::mutex> lock(mutex, std::defer_lock);
  if (asked) lock.lock();
  call();
}

// usage: events CASE SECONDS THREADS
int main(int count, char **arguments) {
  if (count != 4) return 2;
  const int which = atoi(arguments[1]), threads = atoi(arguments[3]);
  const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(atoi(arguments[2]));
  const bool records = which == RECORDS_APART || which == RECORDS_AND_ENDS_APART;
  const bool ends = which == RECORDS_AND_ENDS_APART;
  CUdevice device;
  CUcontext context;
  CHECK(cuInit(0));
  CHECK(cuDeviceGet(&device, 0));
  CHECK(cuDevicePrimaryCtxRetain(&context, device));
  CHECK(cuCtxSetCurrent(context));
  CUevent shared;
  CHECK(cuEventCreate(&shared, CU_EVENT_DISABLE_TIMING));
  std::vector<long> captures(threads);
  std::vector<std::thread> running;
  for (int t = 0; t < threads; t++) {
    running.emplace_back([&, t] {
      CHECK(cuCtxSetCurrent(context));
      CUstream stream;
      CUdeviceptr bytes;
      CUevent own;
      CHECK(cuStreamCreate(&stream, CU_STREAM_NON_BLOCKING));
      CHECK(cuMemAlloc(&bytes, 4096));
      CHECK(cuEventCreate(&own, CU_EVENT_DISABLE_TIMING));
      CUevent event = which == EVENTS_OF_THEIR_OWN ? own : shared;
      for (; std::chrono::steady_clock::now() < end; captures[t]++) {
        CUgraph graph;
        CUgraphExec executable;
        CHECK(cuStreamBeginCapture(stream, CU_STREAM_CAPTURE_MODE_RELAXED));
        CHECK(cuMemsetD8Async(bytes, 1, 4096, stream));
        apart(records, [&] { CHECK(cuEventRecord(event, stream)); });
        apart(ends, [&] { CHECK(cuStreamEndCapture(stream, &graph)); });
        CHECK(cuGraphInstantiate(&executable, graph, 0));
        CHECK(cuGraphDestroy(graph));
        CHECK(cuGraphLaunch(executable, stream));
        apart(records, [&] { CHECK(cuEventRecord(event, stream)); });
        CHECK(cuGraphExecDestroy(executable));
      }
      CHECK(cuStreamSynchronize(stream));
    });
  }
  long all = 0;
  for (int t = 0; t < threads; t++) {
    running[t].join();
    all += captures[t];
  }
  printf("ok: %ld captures\n", all);
}
