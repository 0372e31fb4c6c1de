export const KiB = 1024
export const MiB = 1024 ** 2
export const GiB = 1024 ** 3
export const TiB = 1024 ** 4

/** Converts GiB, the unit of forms, to bytes, the unit of the API (S2§5). */
export const gibToBytes = (gib: number): number => Math.round(gib * GiB)
export const bytesToGib = (bytes: number): number => bytes / GiB
