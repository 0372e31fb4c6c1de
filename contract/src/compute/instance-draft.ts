import { says, type RuleText } from '../core/said'
import * as z from 'zod'
import { GiB } from '../core/bytes'
import { someId } from '../core/example'
import { Description, Id, ResourceName, Tag } from '../core/names'
import { MacAddress } from '../networking/mac-address'
import { StoragePolicyName, StorageSize } from '../storage/volumes'
import { ChosenPlacements } from './placements'
import { MAX_INSTANCES_PER_CREATE, MAX_METADATA, MAX_USER_DATA_BASE64 } from './instance-rules'

/** A disk of a new instance. `image` and `blank` create a volume; `volume` attaches an existing one. */
export const InstanceVolumeDraft = z.discriminatedUnion('source', [
  z.strictObject({
    source: z.literal('image'),
    id: Id,
    size: StorageSize,
    boot_index: z.number().int().min(0).nullable().default(0),
    rm: z.boolean().default(true),
    storage_policy_name: StoragePolicyName.optional(),
  }),
  z.strictObject({
    source: z.literal('blank'),
    size: StorageSize,
    boot_index: z.number().int().min(0).nullable().default(null),
    rm: z.boolean().default(true),
    storage_policy_name: StoragePolicyName.optional(),
  }),
  z.strictObject({
    source: z.literal('volume'),
    id: Id,
    boot_index: z.number().int().min(0).nullable().default(null),
    rm: z.boolean().default(false),
  }),
  /** An ISO image as a CD-ROM. It is not copied. */
  z.strictObject({ source: z.literal('iso'), id: Id, boot_index: z.number().int().min(0).nullable().default(0) }),
])
export type InstanceVolumeDraft = z.infer<typeof InstanceVolumeDraft>

/** Addresses chosen from a network's subnets. */
const ChosenAddresses = z
  .array(
    z.strictObject({ ip_address: z.union([z.ipv4(says('networking.enter_ip')), z.ipv6(says('networking.enter_ip'))]) }),
  )
  .max(5)

/** Spoofing protection and security groups for a network interface. */
const protection = {
  spoofing_protection: z.boolean().optional(),
  /** IDs of security groups. */
  security_groups: z.array(Id).max(32).optional(),
}

/**
 * A network interface: a new one in a network, or an existing port with its own network, MAC address and IP addresses.
 */
export const InstanceNetworkDraft = z
  .strictObject({
    /** Empty if `port_id` is set. */
    id: Id.default(''),
    port_id: Id.optional(),
    /** Default: chosen by the engine. */
    fixed_ips: ChosenAddresses.default([]),
    mac: MacAddress.nullable().default(null),
    ...protection,
  })
  .superRefine(({ id, port_id, fixed_ips, mac }, context) => {
    const add = (field: string, message: RuleText) => context.addIssue({ code: 'custom', path: [field], message })
    if (port_id === undefined) {
      if (id === '') add('id', says('compute.choose_network'))
      return
    }
    if (id !== '') add('port_id', says('compute.network_or_port'))
    if (mac !== null) add('mac', says('compute.port_has_its_own'))
    if (fixed_ips.length > 0) add('fixed_ips', says('compute.port_has_its_own'))
  })
  .meta({ examples: [{ id: someId('network') }] })

/** Update of an existing network interface. */
export const InstanceInterfaceChange = z
  .strictObject({
    fixed_ips: ChosenAddresses.min(1, says('networking.enter_ip')).optional(),
    ...protection,
  })
  .meta({ examples: [{ spoofing_protection: true }] })
export type InstanceInterfaceChange = z.infer<typeof InstanceInterfaceChange>

/** Metadata key, limited to the characters that every supported cloud accepts. */
export const MetadataKey = z
  .string()
  .min(1, says('core.enter_name'))
  .max(255, says('core.too_long', { most: 255 }))
  .regex(/^[A-Za-z0-9][\w:. -]*$/, says('compute.instance_name_form'))

/** Key-value metadata of an instance, for users and programs. On some clouds, the guest can read it. */
export const InstanceMetadata = z
  .record(MetadataKey, z.string().max(255, says('core.too_long', { most: 255 })))
  .refine(
    (words) => Object.keys(words).length <= MAX_METADATA,
    says('compute.too_many_entries', { most: MAX_METADATA }),
  )

const longScript = says('compute.script_too_long', {
  most: (MAX_USER_DATA_BASE64 / 4 / 1024) * 3,
  characters: MAX_USER_DATA_BASE64,
})

export const InstanceDraft = z
  .strictObject({
    name: ResourceName,
    description: Description.default(''),
    /** If greater than 1, the suffixes -1, -2, … are added to the name. */
    count: z
      .number()
      .int()
      .min(1, says('core.at_least', { least: 1 }))
      .max(MAX_INSTANCES_PER_CREATE, says('core.at_most', { most: MAX_INSTANCES_PER_CREATE }))
      .default(1),
    flavor: Id,
    volumes: z
      .array(InstanceVolumeDraft)
      .min(1, says('compute.choose_boot_source'))
      .max(16, says('compute.too_many_volumes', { most: 16 })),
    /** Empty: no network. */
    networks: z.array(InstanceNetworkDraft).max(8, says('compute.too_many_networks', { most: 8 })),
    key_name: z.string().max(255).nullable().default(null),
    /** Server group for the new instances. */
    server_group: Id.nullable().default(null),
    /** Placements in addition to those of the image and the flavor. */
    traits: ChosenPlacements.default([]),
    /** Base64-encoded script (`#!`) or cloud-config (`#cloud-config`). Write-only. */
    user_data: z
      .string()
      // clients may insert line breaks into base64
      .max(2 * MAX_USER_DATA_BASE64, longScript)
      .regex(/^[A-Za-z0-9+/\s]*={0,2}\s*$/, says('core.send_base64'))
      .refine((text) => text.replace(/\s+/g, '').length <= MAX_USER_DATA_BASE64, longScript)
      .nullable()
      .default(null),
    metadata: InstanceMetadata.default({}),
    tags: z.array(Tag).max(50).default([]),
    ha_enabled: z.boolean().default(true),
    /** Reserves headroom so that vCPUs and memory can be increased while the instance runs. */
    allow_live_resize: z.boolean().default(false),
  })
  .superRefine((draft, context) => {
    const bootFirst = draft.volumes.filter((volume) => volume.boot_index === 0)
    if (bootFirst.length !== 1)
      context.addIssue({ code: 'custom', path: ['volumes'], message: says('compute.one_boot_volume') })
    const attached = draft.volumes.filter((volume) => volume.source === 'volume')
    if (draft.count > 1 && attached.length > 0) {
      context.addIssue({
        code: 'custom',
        path: ['count'],
        message: says('compute.volume_for_one_instance'),
      })
    }
    if (draft.count > 1 && draft.networks.some((it) => it.mac || it.fixed_ips.length > 0 || it.port_id)) {
      context.addIssue({ code: 'custom', path: ['count'], message: says('compute.address_for_one_instance') })
    }
  })
  .meta({
    examples: [
      { name: 'web', flavor: someId('flavor'), networks: [], volumes: [{ source: 'blank', size: GiB, boot_index: 0 }] },
      {
        name: 'db',
        flavor: someId('flavor'),
        networks: [{ id: someId('network') }],
        volumes: [{ source: 'volume', id: someId('volume'), boot_index: 0 }],
        server_group: someId('server_group'),
      },
    ],
  })
export type InstanceDraft = z.infer<typeof InstanceDraft>

export const InstanceChange = z
  .strictObject({
    name: ResourceName,
    description: Description,
    ha_enabled: z.boolean(),
    /** Takes effect on a running instance the next time it is started. */
    allow_live_resize: z.boolean(),
    /** Replaces all placements. Isolated placements are kept unless the caller has a system scope. */
    traits: ChosenPlacements,
  })
  .partial()
  .meta({ examples: [{ name: 'renamed' }] })
export type InstanceChange = z.infer<typeof InstanceChange>

/** Password for the guest administrator. Control characters are refused because they cannot be typed. */
export const GuestPassword = z
  .string()
  .min(8, says('core.too_short', { least: 8 }))
  .max(128, says('core.too_long', { most: 128 }))
  .regex(/^\P{Cc}*$/u, says('compute.typed_characters'))
