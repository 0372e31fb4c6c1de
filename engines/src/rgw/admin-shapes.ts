import * as z from 'zod'

/* The fields of admin responses that the server uses; see "Admin Operations" on docs.ceph.com. */

export const RgwUser = z.object({
  user_id: z.string(),
  /** 0 or 1; a boolean in later releases. */
  suspended: z.union([z.number(), z.boolean()]).transform(Boolean),
  keys: z.array(z.object({ access_key: z.string(), secret_key: z.string() })),
  caps: z.array(z.object({ type: z.string(), perm: z.string() })).default([]),
  user_quota: z.object({ enabled: z.boolean(), max_size: z.number(), max_objects: z.number() }),
})
export type RgwUser = z.infer<typeof RgwUser>

export const RgwKeys = RgwUser.shape.keys

/** Buckets with their usage. Parts of unfinished uploads are counted as separate objects. */
export const RgwBuckets = z.array(
  z.object({
    usage: z.record(z.string(), z.object({ size: z.number().default(0), num_objects: z.number().default(0) })),
  }),
)

export const RgwRefusal = z.object({ Code: z.string() })
