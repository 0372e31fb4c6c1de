import * as z from 'zod'
import { WireTime } from '../../wire-time'

/*
 * Fields that are read from servers and related objects. For a server in an unreachable cell, Nova returns little more
 * than an ID, hence the defaults.
 */

/** First microversion with embedded flavors (2.47), tags, descriptions and the host status. */
export const serverVersion = '2.73'

const WireFlavor = z.object({
  original_name: z.string(),
  vcpus: z.number(),
  ram: z.number(),
  extra_specs: z.record(z.string(), z.string()).default({}),
})

export const WireServer = z.object({
  id: z.string(),
  name: z.string().default(''),
  description: z.string().nullish(),
  status: z.string(),
  tenant_id: z.string(),
  user_id: z.string().default(''),
  created: WireTime,
  updated: WireTime.optional(),
  'OS-EXT-STS:task_state': z.string().nullish(),
  'OS-EXT-SRV-ATTR:host': z.string().nullish(),
  'OS-EXT-SRV-ATTR:root_device_name': z.string().nullish(),
  host_status: z.string().nullish(),
  flavor: WireFlavor.default({ original_name: '', vcpus: 0, ram: 0, extra_specs: {} }),
  /** An empty string if the server is volume-backed. */
  image: z.union([z.string(), z.object({ id: z.string() })]).nullish(),
  key_name: z.string().nullish(),
  metadata: z.record(z.string(), z.string()).default({}),
  tags: z.array(z.string()).default([]),
  fault: z.object({ code: z.number(), message: z.string(), created: WireTime }).optional(),
  'os-extended-volumes:volumes_attached': z
    .array(z.object({ id: z.string(), delete_on_termination: z.boolean().default(false) }))
    .default([]),
})
export type WireServer = z.infer<typeof WireServer>

export const WirePort = z.object({
  id: z.string(),
  device_id: z.string(),
  device_owner: z.string(),
  network_id: z.string(),
  mac_address: z.string(),
  fixed_ips: z.array(z.object({ subnet_id: z.string(), ip_address: z.string() })),
  description: z.string().nullish(),
  'binding:vnic_type': z.string().nullish(),
  created_at: z.string().nullish(),
  /** Absent in clouds without the port security extension, where ports are always protected. */
  port_security_enabled: z.boolean().nullish(),
})
export type WirePort = z.infer<typeof WirePort>
/** Only these fields are requested. */
export const portFields = Object.keys(WirePort.shape)

export const WireNetwork = z.object({ id: z.string(), name: z.string() })

export const WireVolume = z.object({
  id: z.string(),
  name: z.string().nullish(),
  status: z.string(),
  /** In GiB. */
  size: z.number(),
  attachments: z.array(z.object({ server_id: z.string().nullish(), device: z.string().nullish() })).default([]),
  /** Properties of the image that the volume was created from. */
  volume_image_metadata: z.record(z.string(), z.unknown()).optional(),
})
export type WireVolume = z.infer<typeof WireVolume>

/** An image, with its properties as top-level fields. */
export const WireImage = z.looseObject({ id: z.string(), name: z.string().nullish() })
export type WireImage = z.infer<typeof WireImage>

export const WireFlavorName = z.object({ id: z.string(), name: z.string(), vcpus: z.number(), ram: z.number() })

/** An attachment as reported by the server, where the device is known earlier than on the volume. */
export const WireAttachment = z.object({ volumeId: z.string(), device: z.string().nullish() })
