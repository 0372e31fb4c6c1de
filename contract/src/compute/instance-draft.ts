import { says, type RuleText } from '../core/said'
import * as z from 'zod'
import { GiB } from '../core/bytes'
import { someId } from '../core/example'
import { Description, Id, ResourceName, Tag } from '../core/names'
import { MacAddress } from '../networking/mac-address'
import { StoragePolicyName, StorageSize } from '../storage/volumes'
import { ChosenPlacements } from './placements'
import { MAX_INSTANCES_PER_CREATE, MAX_METADATA, MAX_USER_DATA_BASE64 } from './instance-rules'

/** A disk that a new instance gets. `source: image|blank` makes a volume; `volume` attaches one that is there. */
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
  /** An ISO image as a CD-ROM; nothing is copied. */
  z.strictObject({ source: z.literal('iso'), id: Id, boot_index: z.number().int().min(0).nullable().default(0) }),
])
export type InstanceVolumeDraft = z.infer<typeof InstanceVolumeDraft>

/** Addresses inside a network's subnets. */
const ChosenAddresses = z
  .array(
    z.strictObject({ ip_address: z.union([z.ipv4(says('networking.enter_ip')), z.ipv6(says('networking.enter_ip'))]) }),
  )
  .max(5)

/** What a card may send, and what it may be sent. */
const protection = {
  spoofing_protection: z.boolean().optional(),
  /** Ids of security groups. */
  security_groups: z.array(Id).max(32).optional(),
}

/** A card in a network, or the port that is to be one: it brings its network, MAC address and addresses with it. */
export const InstanceNetworkDraft = z
  .strictObject({
    /** Left out where a port is named. */
    id: Id.default(''),
    port_id: Id.optional(),
    /** The engine chooses when left out. */
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

/** What changes of a network card that is there. */
export const InstanceInterfaceChange = z
  .strictObject({
    fixed_ips: ChosenAddresses.min(1, says('networking.enter_ip')).optional(),
    ...protection,
  })
  .meta({ examples: [{ spoofing_protection: true }] })
export type InstanceInterfaceChange = z.infer<typeof InstanceInterfaceChange>

/** The name of a word about an instance: such as every cloud takes. */
export const MetadataKey = z
  .string()
  .min(1, says('core.enter_name'))
  .max(255, says('core.too_long', { most: 255 }))
  .regex(/^[A-Za-z0-9][\w:. -]*$/, says('compute.instance_name_form'))

/** Words about an instance by their names, for programs and people; a guest may read them where the cloud tells it. */
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
    /** Above 1 the names get -1, -2 ... */
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
    /** The server group that they belong to from now on. */
    server_group: Id.nullable().default(null),
    /** Placements besides those that come with image and flavor. */
    traits: ChosenPlacements.default([]),
    /** Base64 of a script (`#!`) or cloud-config (`#cloud-config`). Write-only. */
    user_data: z
      .string()
      // programs break its lines
      .max(2 * MAX_USER_DATA_BASE64, longScript)
      .regex(/^[A-Za-z0-9+/\s]*={0,2}\s*$/, says('core.send_base64'))
      .refine((text) => text.replace(/\s+/g, '').length <= MAX_USER_DATA_BASE64, longScript)
      .nullable()
      .default(null),
    metadata: InstanceMetadata.default({}),
    tags: z.array(Tag).max(50).default([]),
    ha_enabled: z.boolean().default(true),
    /** Starts with room to be given more vCPUs and memory while it runs. */
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
    /** One that runs gets its room when it is started next. */
    allow_live_resize: z.boolean(),
    /** All that it is to have. Isolated ones stay, whatever is sent, unless a system scope sends it. */
    traits: ChosenPlacements,
  })
  .partial()
  .meta({ examples: [{ name: 'renamed' }] })
export type InstanceChange = z.infer<typeof InstanceChange>

/** What the administrator of a guest signs in with. A control character could not be typed. */
export const GuestPassword = z
  .string()
  .min(8, says('core.too_short', { least: 8 }))
  .max(128, says('core.too_long', { most: 128 }))
  .regex(/^\P{Cc}*$/u, says('compute.typed_characters'))
