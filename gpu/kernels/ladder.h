// The reduction ladder: one sum, eight ways. Read the headers in order; each begins with what the one before wastes.
#pragma once

#include "gpu/kernels/ladder/v0_interleaved.h"
#include "gpu/kernels/ladder/v1_strided.h"
#include "gpu/kernels/ladder/v2_sequential.h"
#include "gpu/kernels/ladder/v3_on_load.h"
#include "gpu/kernels/ladder/v4_last_warp.h"
#include "gpu/kernels/ladder/v5_unrolled.h"
#include "gpu/kernels/ladder/v6_shuffle.h"
#include "gpu/kernels/ladder/v7_vector.h"
