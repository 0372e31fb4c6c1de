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
  /** Of the shell's catalogue, as all texts of the menu: those of the areas arrive with their pages. */
  label: Key<'shell'>
  /** The same with a soft hyphen, for the rail: browsers do not hyphenate every language. */
  hyphenated?: Key<'shell'>
  icon: Icon
  /** Headings of its pages, in their order. A heading is drawn where the group shows more than one. */
  headings?: Readonly<Record<string, Key<'shell'>>>
  /** Absent where this is not set up. */
  service?: 'compute'
  /** Shown to operators, who see all tenants, and in domain mode. */
  isForPeople?: boolean
  /** Stands at the bottom. */
  isLast?: boolean
}

/**
 * The groups of the menu and the headings in them, in the order of the rail. Areas put their pages there; a group or heading
 * without a page for the person is absent.
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

/** A place in the tree: a group, or a heading of a group that has headings: `network.access`. */
export type MenuSpot = {
  [Id in MenuGroupId]: Groups[Id] extends { headings: infer Headings } ? `${Id}.${keyof Headings & string}` : Id
}[MenuGroupId]

/** The groups as a list, for code that treats them alike. */
export const groupList: readonly (GroupSettings & { id: MenuGroupId })[] = (
  Object.keys(menuGroups) as MenuGroupId[]
).map((id) => ({ id, ...menuGroups[id] }))
