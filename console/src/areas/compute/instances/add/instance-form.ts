import { MAX_INSTANCES_PER_CREATE } from '@mainstay/contract/compute/instance-rules'
import { ChosenPlacements } from '@mainstay/contract/compute/placements'
import type { InstanceDraft } from '@mainstay/contract/compute/instances'
import { MAX_GROUPS_OF_PORT } from '@mainstay/contract/networking/ports'
import { MacAddress } from '@mainstay/contract/networking/mac-address'
import type { Flavor } from '@mainstay/contract/compute/flavors'
import type { Image } from '@mainstay/contract/compute/images'
import type { SshKey } from '@mainstay/contract/compute/ssh-keys'
import { Description, ResourceName, Tag } from '@mainstay/contract/core/names'
import type { Network } from '@mainstay/contract/networking/networks'
import { StorageSize, type Volume } from '@mainstay/contract/storage/volumes'
import * as z from 'zod'
import type { Translate } from '../../../../i18n/use-t'
import { leastDiskBytes } from '../../../../pickers/ImagePicker'
import { encodeScript, maxScriptBytes, scriptBytes } from './script-text'

/** The boot source of a new instance. */
export type Boot = { from: 'image' | 'iso'; image: Image } | { from: 'volume'; volume: Volume }
/** An additional volume. */
export type Disk = { source: 'blank'; size: number; rm: boolean } | { source: 'volume'; volume: Volume; rm: boolean }
/** A network interface. An empty string means that the value is assigned automatically. */
export interface Nic {
  network: Network
  address: string
  mac: string
}

/** Form values. Whole objects are stored, not just IDs, because the summary and the cross-field checks use them. */
export interface InstanceForm {
  name: string
  description: string
  count: number | null
  tags: string[]
  boot: Boot | null
  /** Size in bytes, or null for the default. */
  boot_size: number | null
  boot_rm: boolean
  volumes: Disk[]
  flavor: Flavor | null
  networks: Nic[]
  no_network: boolean
  /** IDs of the security groups for all interfaces. If empty, the project's default group is used. */
  security_groups: string[]
  /** `have:ID` for an existing floating IP, `new:NETWORK` for a new one, or null for none. */
  floating_ip: string | null
  key: SshKey | null
  script: string
  ha_enabled: boolean
  allow_live_resize: boolean
  server_group: string | null
  /** IDs of placements that the instance requires. */
  traits: string[]
}

export const emptyInstanceForm: InstanceForm = {
  name: '',
  description: '',
  count: 1,
  tags: [],
  boot: null,
  boot_size: null,
  boot_rm: true,
  volumes: [],
  flavor: null,
  networks: [],
  no_network: false,
  security_groups: [],
  floating_ip: null,
  key: null,
  script: '',
  ha_enabled: true,
  allow_live_resize: false,
  server_group: null,
  traits: [],
}

/** Default size of the volume that a system is installed to from an ISO. */
const isoDiskBytes = 20 * 1024 ** 3

export const leastBootBytes = (boot: Boot | null): number =>
  boot?.from === 'image'
    ? leastDiskBytes(boot.image)
    : boot?.from === 'iso'
      ? leastDiskBytes({ ...boot.image, virtual_size: 0 })
      : 0

/** Size in bytes of the new volume to boot from or install to; 0 if no volume is created. */
export function bootBytes({ boot, boot_size }: Pick<InstanceForm, 'boot' | 'boot_size'>): number {
  if (!boot || boot.from === 'volume') return 0
  const least = leastBootBytes(boot)
  return boot_size ?? (boot.from === 'iso' ? Math.max(least, isoDiskBytes) : least)
}

const isTooSmall = (flavor: Flavor, boot: Boot | null) =>
  boot !== null && boot.from !== 'volume' && flavor.ram < boot.image.min_ram

/** The reason why a flavor does not fit the boot source, or undefined if it does. */
export const flavorFault = (flavor: Flavor, boot: Boot | null, t: Translate<'instance'>): string | undefined =>
  isTooSmall(flavor, boot) && boot !== null && boot.from !== 'volume'
    ? t('instances.why.flavorRam', { image: boot.image.name, ram: boot.image.min_ram })
    : undefined

const ipAddress = z.union([z.literal(''), z.ipv4(), z.ipv6()])

/** Schema of the wizard: the contract's field rules, plus the cross-field checks that the server also makes. */
export function instanceForm(t: Translate<'instance'>) {
  const count = z
    .number(t('instances.add.countMissing'))
    .int()
    .min(1)
    .max(MAX_INSTANCES_PER_CREATE, t('instances.add.countMost', { most: MAX_INSTANCES_PER_CREATE }))
  return z
    .object({
      name: ResourceName,
      description: Description,
      count: count.nullable(),
      tags: z.array(Tag).max(50),
      boot: z.custom<Boot | null>().refine((boot) => boot !== null, t('instances.add.bootMissing')),
      boot_size: StorageSize.nullable(),
      boot_rm: z.boolean(),
      volumes: z.array(z.custom<Disk>()).max(15, t('instances.add.volumesMost')),
      flavor: z.custom<Flavor | null>().refine((flavor) => flavor !== null, t('instances.add.flavorMissing')),
      networks: z
        .array(
          z.object({
            network: z.custom<Network>(),
            // the address is validated below, where the error can be reported on the interface
            address: z.string(),
            mac: z.string(),
          }),
        )
        .max(8, t('instances.add.networksMost')),
      no_network: z.boolean(),
      security_groups: z.array(z.string()).max(MAX_GROUPS_OF_PORT),
      floating_ip: z.string().nullable(),
      key: z.custom<SshKey | null>(),
      script: z
        .string()
        .refine(
          (text) => scriptBytes(text) <= maxScriptBytes,
          t('instances.add.scriptTooLong', { most: maxScriptBytes / 1024 }),
        ),
      ha_enabled: z.boolean(),
      allow_live_resize: z.boolean(),
      server_group: z.string().nullable(),
      traits: ChosenPlacements,
    })
    .superRefine((form, context) => {
      const wrong = (path: (string | number)[], message: string) => context.addIssue({ code: 'custom', path, message })
      const { boot, flavor, networks } = form
      if (form.count === null) wrong(['count'], t('instances.add.countMissing'))
      if (flavor && boot) {
        const fault = flavorFault(flavor, boot, t)
        if (fault) wrong(['flavor'], fault)
      }
      if (boot && boot.from !== 'volume' && bootBytes(form) < leastBootBytes(boot))
        wrong(['boot_size'], t('instances.add.bootTooSmall', { least: leastBootBytes(boot) / 1024 ** 3 }))
      if (networks.length === 0 && !form.no_network) wrong(['networks'], t('instances.add.networkMissing'))
      for (const [index, { address, mac }] of networks.entries()) {
        if (!ipAddress.safeParse(address).success)
          wrong(['networks', index, 'address'], t('instances.add.addressWrong'))
        const checked = mac === '' ? undefined : MacAddress.safeParse(mac)
        if (checked?.error) wrong(['networks', index, 'mac'], checked.error.issues[0]?.message ?? '')
      }
      const isMany = (form.count ?? 1) > 1
      const isAttached = boot?.from === 'volume' || form.volumes.some(({ source }) => source === 'volume')
      if (isMany && isAttached) wrong(['count'], t('instances.add.countVolume'))
      if (isMany && networks.some(({ address, mac }) => address !== '' || mac !== ''))
        wrong(['count'], t('instances.add.countAddress'))
    })
}

function bootVolumes({ boot, boot_rm: rm, ...form }: InstanceForm): z.input<typeof InstanceDraft>['volumes'] {
  if (!boot) return []
  if (boot.from === 'volume') return [{ source: 'volume', id: boot.volume.id, boot_index: 0, rm }]
  const size = bootBytes({ boot, boot_size: form.boot_size })
  if (boot.from === 'image') return [{ source: 'image', id: boot.image.id, size, boot_index: 0, rm }]
  // the empty volume is second in the boot order: the ISO is removed once a system is installed
  return [
    { source: 'iso', id: boot.image.id, boot_index: 0 },
    { source: 'blank', size, boot_index: 1, rm },
  ]
}

/** Converts form values to the body of the create call. */
export function instanceDraftOf(form: InstanceForm): z.input<typeof InstanceDraft> {
  const { name, description, tags, ha_enabled, allow_live_resize, server_group, traits } = form
  return {
    name,
    description,
    tags,
    ha_enabled,
    allow_live_resize,
    server_group,
    traits,
    count: form.count ?? 1,
    flavor: form.flavor?.id ?? '',
    volumes: [
      ...bootVolumes(form),
      ...form.volumes.map((disk) =>
        disk.source === 'blank'
          ? { source: 'blank' as const, size: disk.size, boot_index: null, rm: disk.rm }
          : { source: 'volume' as const, id: disk.volume.id, boot_index: null, rm: disk.rm },
      ),
    ],
    networks: form.no_network
      ? []
      : form.networks.map(({ network, address, mac }) => ({
          id: network.id,
          fixed_ips: address === '' ? [] : [{ ip_address: address }],
          mac: mac === '' ? null : mac,
          ...(form.security_groups.length > 0 && { security_groups: form.security_groups }),
        })),
    key_name: form.key?.name ?? null,
    user_data: form.script === '' ? null : encodeScript(form.script),
  }
}

/** Maps a field path from an API error to a form field. */
export function formField(path: string, { boot }: Pick<InstanceForm, 'boot'>): string {
  const [first = '', index = '', part] = path.split('.')
  const own: Readonly<Record<string, string>> = { key_name: 'key', user_data: 'script' }
  if (first === 'networks') {
    if (index === '') return 'networks'
    return part === 'mac'
      ? `networks.${index}.mac`
      : part === 'fixed_ips'
        ? `networks.${index}.address`
        : part === 'security_groups'
          ? part
          : 'networks'
  }
  if (first !== 'volumes') return own[first] ?? first
  const sizedAt = boot?.from === 'iso' ? '1' : '0'
  if (index === sizedAt && part === 'size') return 'boot_size'
  return index === '0' ? 'boot' : 'volumes'
}
