import type { Instance, TimelineEntry } from '@mainstay/contract/compute/instances'
import type { AuditChange } from '@mainstay/contract/core/audit-change'
import type { Key } from '../../../../i18n/catalogues'
import type { Formats } from '../../../../i18n/use-format'
import type { Translate } from '../../../../i18n/use-t'
import { osName } from '../os-name'

/** Context for describing changes. `names` maps IDs to names; an ID without a name is shown unchanged. */
export interface ChangeWords {
  instance: Instance
  names: ReadonlyMap<string, string>
  t: Translate<'instance'>
  list: Translate<'instances'>
  format: Formats
}

const labels: Readonly<Record<string, Key<'instance'> | undefined>> = {
  allow_live_resize: 'instances.liveResize',
  delete_on_termination: 'instances.deleteWith',
  description: 'instances.description',
  flavor: 'instances.flavor',
  key: 'instances.metadata',
  mac: 'instances.mac',
  metadata: 'instances.metadata',
  node_id: 'instances.change.node',
  password: 'instances.change.password',
  port_id: 'instances.change.port',
  restart: 'instances.resize.restart',
  security_groups: 'instances.change.securityGroups',
  spoofing_protection: 'instances.nic.spoofing',
  state: 'instances.change.state',
  timeout: 'instances.change.timeout',
  volume_id: 'instances.add.existingVolume',
}
const listLabels: Readonly<Record<string, Key<'instances'> | undefined>> = {
  fixed_ips: 'instances.addresses',
  ha_enabled: 'instances.ha',
  id: 'instances.network',
  image_id: 'instances.image',
  name: 'instances.name',
  tag: 'instances.tag',
  traits: 'instances.placements',
}

function labelOf(field: string, { t, list }: ChangeWords): string {
  const [label, listLabel] = [labels[field], listLabels[field]]
  if (label) return t(label)
  if (listLabel) return list(listLabel)
  const words = field.replaceAll('_', ' ')
  return words.charAt(0).toUpperCase() + words.slice(1)
}

/** Parses JSON. Returns undefined if the text is truncated. */
function parsed(text: string): unknown {
  try {
    return JSON.parse(text) as unknown
  } catch {
    return undefined
  }
}

/** Describes a value in words. Returns null if it is empty. */
function textOf(value: unknown, words: ChangeWords): string | null {
  const { names, list, format } = words
  if (value === null || value === undefined || value === '') return null
  if (typeof value === 'boolean') return list(value ? 'instances.on' : 'instances.off')
  if (typeof value === 'string') return names.get(value) ?? value
  if (typeof value === 'number') return format.number(value)
  if (Array.isArray(value)) return format.list(value.flatMap((one) => textOf(one, words) ?? [])) || null
  const fields = Object.entries(value)
  const [first] = fields
  // the name of the only field would be redundant next to an address
  if (fields.length === 1 && first![0] === 'ip_address') return textOf(first![1], words)
  return format.list(fields.map(([name, inner]) => `${name}: ${textOf(inner, words) ?? '–'}`)) || null
}

function wordsOf(field: string, text: string | null, words: ChangeWords): string | null {
  const { t, list, format } = words
  if (text === null) return null
  if (text === 'true' || text === 'false') return list(text === 'true' ? 'instances.on' : 'instances.off')
  if (field === 'timeout')
    return Number(text) < 0 ? t('instances.change.noLimit') : format.duration(Number(text) * 1000)
  if (!/^[[{]/.test(text)) return textOf(text, words)
  const value = parsed(text)
  return value === undefined ? t('instances.change.long') : textOf(value, words)
}

/** Whether a value was unset before and is now false or empty, which is not a change. */
const isNothing = ({ from, to, is_secret }: AuditChange) =>
  !is_secret && from === null && (to === null || ['', 'false', '[]', '{}'].includes(to))

/** Fields that the entry's title already conveys. */
const inTitle: Readonly<Record<string, readonly string[] | undefined>> = { stop: ['hard'], reboot: ['hard'] }

/** Whether an entry has changes to show. The source of a new instance counts as a change. */
export const hasChanges = (entry: TimelineEntry) => entry.changes.some((change) => !isNothing(change))

/**
 * Describes the changes in an entry with the labels used in forms. Empty for a creation, which `createdFrom` describes.
 */
export function changesInWords({ name, result, changes }: TimelineEntry, words: ChangeWords): AuditChange[] {
  if (name === 'create') return []
  return changes
    .filter((change) => !isNothing(change) && !inTitle[name]?.includes(change.field))
    .map(({ field, from, to, is_secret }) => ({
      field: labelOf(field, words),
      from: result === 'error' ? null : wordsOf(field, from, words),
      to: wordsOf(field, to, words),
      is_secret,
    }))
}

interface Disk {
  source?: string
  id?: string
  size?: number
  boot_index?: number | null
}

/** The boot volume in a create call, or the first volume if the text is truncated. */
function bootDiskOf(text: string): Disk | undefined {
  const disks = parsed(text) ?? parsed(`${/^\[\{[^{}]*\}/.exec(text)?.[0]}]`)
  if (!Array.isArray(disks)) return undefined
  return (disks as Disk[]).find((disk) => disk.boot_index === 0) ?? (disks as Disk[])[0]
}

/**
 * Describes how the instance was created: "Created from Debian 12, s1.small, and 10 GiB, on net-1". Undefined if the
 * entry has no details.
 */
export function createdFrom({ changes }: TimelineEntry, words: ChangeWords): string | undefined {
  const { instance, names, t, list, format } = words
  const to = (field: string) => changes.find((change) => change.field === field)?.to ?? undefined
  const [flavor, volumes, networks] = [to('flavor'), to('volumes'), to('networks')]
  if (flavor === undefined || volumes === undefined) return undefined
  const disk = bootDiskOf(volumes)
  const sources: Record<string, string | undefined> = {
    blank: t('instances.change.emptyVolume'),
    volume: t('instances.change.volume', { name: names.get(disk?.id ?? '') ?? '' }),
  }
  const ids = [...(networks ?? '').matchAll(/"id":"([^"]+)"/g)].map(([, id]) => id!)
  const known = [...new Set(ids)].flatMap((id) => names.get(id) ?? [])
  const parts = format.list([
    sources[disk?.source ?? ''] ?? osName(instance, list),
    names.get(flavor) ?? flavor,
    ...(disk?.size === undefined ? [] : [format.bytes(disk.size)]),
  ])
  if (known.length > 0) return t('instances.change.createdOn', { parts, networks: format.list(known) })
  return t(networks === '[]' ? 'instances.change.createdWithoutNetwork' : 'instances.change.created', { parts })
}

/** Names of everything that belongs to an instance, by ID. */
export function namesOf({ flavor, image_id, image_name, volumes, networks, network_data }: Instance) {
  return new Map<string, string>([
    ...(flavor.id === null ? [] : [[flavor.id, flavor.original_name] as const]),
    ...(image_id === null || image_name === null ? [] : [[image_id, image_name] as const]),
    ...volumes.filter(({ name }) => name !== '').map(({ id, name }) => [id, name] as const),
    ...networks.map(({ id, name }) => [id, name] as const),
    ...network_data.map(({ port_id, mac_addr }) => [port_id, mac_addr] as const),
  ])
}
