import * as z from 'zod'

/* Replies of the program `ceph`, as far as they are used. */

const Named = { id: z.number().int(), name: z.string() }

/** `ceph osd tree`: the buckets of the CRUSH map and its OSDs. */
export const OsdTree = z.object({
  nodes: z.array(
    z.object({
      ...Named,
      type: z.string(),
      type_id: z.number().int(),
      children: z.array(z.number().int()).optional(),
      device_class: z.string().optional(),
      status: z.string().optional(),
      /** 0: the OSD is out, so it holds no data. */
      reweight: z.number().optional(),
    }),
  ),
})
export type OsdTree = z.infer<typeof OsdTree>

/** `ceph osd df`: the space of each OSD, in KiB. */
export const OsdSpace = z.object({
  nodes: z.array(z.object({ id: z.number().int(), kb: z.number(), kb_used: z.number(), kb_avail: z.number() })),
})
export type OsdSpace = z.infer<typeof OsdSpace>

/** `ceph osd crush rule dump`: how each rule chooses OSDs. */
export const CrushRules = z.array(
  z.object({
    rule_id: z.number().int(),
    steps: z.array(z.object({ op: z.string(), item_name: z.string().optional(), type: z.string().optional() })),
  }),
)
export type CrushRules = z.infer<typeof CrushRules>

/** `ceph osd dump`: pools, profiles of erasure coding, and the UUIDs of OSDs. */
export const OsdDump = z.object({
  pools: z.array(
    z.object({
      pool_name: z.string(),
      /** Number of copies, or of parts. */
      size: z.number().int(),
      crush_rule: z.number().int(),
      erasure_code_profile: z.string(),
    }),
  ),
  osds: z.array(z.object({ osd: z.number().int(), uuid: z.string() })),
  erasure_code_profiles: z.record(z.string(), z.record(z.string(), z.string())),
})
export type OsdDump = z.infer<typeof OsdDump>

/** `ceph config-key ls`: names only. */
export const ConfigKeys = z.array(z.string())
