import type { Key } from '../i18n/catalogues'
import {
  BucketIcon,
  ComputeIcon,
  HostsIcon,
  NetworkIcon,
  OverviewIcon,
  ProtectionIcon,
  SettingsIcon,
  UsersIcon,
  VolumeIcon,
  type Icon,
} from '../ui/icons'

interface GroupSettings {
  /** From the shell catalogue, like all menu labels, because area catalogues are loaded only with their pages. */
  label: Key<'shell'>
  /** The label with soft hyphens, for the narrow rail: browsers do not hyphenate every language. */
  hyphenated?: Key<'shell'>
  icon: Icon
  /** Section headings, in order. They are shown when the group has more than one visible section. */
  headings?: Readonly<Record<string, Key<'shell'>>>
  /** Hidden if this service is not configured. */
  service?: 'compute'
  /** Shown only to operators, who see all tenants, and in domain mode. */
  isForPeople?: boolean
  /** Placed at the bottom of the menu. */
  isLast?: boolean
}

/**
 * Menu groups and their headings, in rail order. Areas add their pages to them; a group or heading without a visible
 * page is hidden.
 */
const menuGroups = {
  overview: { label: 'menu.overview', icon: OverviewIcon },
  infrastructure: { label: 'menu.infrastructure', hyphenated: 'menu.infrastructure.hyphenated', icon: HostsIcon },
  compute: {
    label: 'menu.compute',
    icon: ComputeIcon,
    service: 'compute',
    headings: { workloads: 'menu.workloads', cluster: 'menu.cluster' },
  },
  network: {
    label: 'menu.network',
    icon: NetworkIcon,
    service: 'compute',
    headings: { networks: 'menu.networks', access: 'menu.access' },
  },
  storage: {
    label: 'menu.storage',
    icon: VolumeIcon,
    headings: { block: 'menu.blockStorage', services: 'menu.storageServices' },
  },
  objects: { label: 'menu.objects', icon: BucketIcon },
  protection: { label: 'menu.protection', icon: ProtectionIcon },
  people: {
    label: 'menu.people',
    icon: UsersIcon,
    isForPeople: true,
    headings: { accounts: 'menu.accounts', tenants: 'menu.tenants', records: 'menu.records' },
  },
  settings: {
    label: 'menu.settings',
    icon: SettingsIcon,
    isLast: true,
    headings: { system: 'menu.settings.system', signIn: 'menu.settings.signIn' },
  },
} as const satisfies Record<string, GroupSettings>

type Groups = typeof menuGroups
export type MenuGroupId = keyof Groups

/** A place in the menu tree: a group, or a heading within a group, such as `network.access`. */
export type MenuSpot = {
  [Id in MenuGroupId]: Groups[Id] extends { headings: infer Headings } ? `${Id}.${keyof Headings & string}` : Id
}[MenuGroupId]

export const groupList: readonly (GroupSettings & { id: MenuGroupId })[] = (
  Object.keys(menuGroups) as MenuGroupId[]
).map((id) => ({ id, ...menuGroups[id] }))
