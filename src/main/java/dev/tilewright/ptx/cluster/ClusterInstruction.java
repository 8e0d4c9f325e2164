package dev.tilewright.ptx.cluster;

import dev.tilewright.ptx.PtxInstruction;

/**
 * The blocks of a cluster and of a grid: their barrier, their addresses, their launch. Sources: PTX ISA,
 * "barrier.cluster", "mapa", "clusterlaunchcontrol", "griddepcontrol".
 */
public sealed interface ClusterInstruction extends PtxInstruction
        permits BarrierClusterArrive,
        BarrierClusterWait, ClusterLaunchControlFirstCtaid, ClusterLaunchControlIsCanceled,
        ClusterLaunchControlTryCancel, Getctarank, Griddepcontrol, Mapa { }
