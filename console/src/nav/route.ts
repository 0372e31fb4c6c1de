import type { ComponentType } from 'react'
import { read, type Access, type Endpoint } from '@mainstay/contract/core/endpoint'
import type { Kind } from '@mainstay/contract/core/kind'
import type { ResourceName } from '@mainstay/contract/permissions'
import type { Area, Key } from '../i18n/catalogues'
import type { PageIcon } from '../ui/page-icons'
import type { MenuSpot } from './menu-groups'

type Loaded = Promise<{ default: ComponentType }>

/** A live row count shown next to a menu entry. */
export interface MenuCount {
  call: Endpoint
  kind: Kind
  /** The list's filters. */
  only: Readonly<Record<string, string>>
}

/** The place of a page in the menu tree. Entries under a heading are in route order. */
export interface MenuPlace {
  in: MenuSpot
  /** Place in domain mode; if omitted, the page is hidden there. */
  inDomain?: MenuSpot
  /** Shown in the command palette. */
  icon: PageIcon
  /** Also the window title. From the shell catalogue, because area catalogues are loaded only with their pages. */
  label: Key<'shell'>
  /** Hidden if this service is not configured. */
  service?: 'compute' | 'recycle_bin'
  /** Permission for the entry, if it differs from the page's. */
  needs?: Access
  /** Shortcut: `g` followed by this key. */
  key?: string
  /** Number of items that need attention, shown in red at the end of the entry and as a red dot on its group. */
  alerts?: MenuCount
}

/** The place of a page without its own menu entry: a tab of another entry. */
export interface TabPlace {
  /** Path of the entry, without a leading slash. */
  tabOf: string
  icon: PageIcon
  label: Key<'shell'>
}

/**
 * The place of a list nested under an object, such as a node's disks. Breadcrumbs and the command palette use its
 * label.
 */
export interface NestedPlace {
  icon: PageIcon
  label: Key<'shell'>
}

/** A page of the console: its path, permission and title. */
export interface PageRoute {
  /** Without a leading slash; parameters as `$name`, optional ones as `{-$name}`. */
  path: string
  load: () => Loaded
  /** Required permission: that of the page's main call. */
  needs: Access
  /** The catalogue that contains its strings, loaded together with its code. */
  texts: Area
  /** Title, from the page's own catalogue, or from the shell's if it is the label of a menu place. */
  title: { texts: Area; key: string }
  /** The page that stays visible behind this one, so that closing this one keeps its scroll position and filters. */
  over: string | undefined
  /** `bare`: without header and menu; `signed-in`: with them only for signed-in users. */
  frame: 'whole' | 'bare' | 'signed-in'
  /** Can be embedded although it changes nothing, for example a chart. */
  isFramed: boolean
  /** The permission required when embedded, if it differs from `needs`. */
  framedNeeds: Access | undefined
  /** The place of the page in the menu tree; most pages have none. */
  menu: MenuPlace | TabPlace | NestedPlace | undefined
  /** The kind of the object that `$id` identifies. */
  shows: string | undefined
  /** `admin`: a page for operators, excluded from the self-service portal. */
  panel: 'admin' | undefined
  /** Set on lists that accept filters typed into the global search. */
  typed: TypedList | undefined
}

/** A list that accepts filters as text: `status:error`. */
export interface TypedList {
  kind: Kind
  /** Permission required to view the list. */
  needs: Access
  to: string
}

/** A path that redirects to another one. */
export interface Redirect {
  path: string
  to: () => string
}

interface PageSettings<A extends Area> {
  /** A bare resource name means the permission to read it. */
  needs: Access | ResourceName
  texts: A
  over?: string | undefined
  frame?: PageRoute['frame']
  isFramed?: boolean
  framedNeeds?: Access | undefined
  shows?: string | undefined
  panel?: 'admin' | undefined
  typed?: TypedList | undefined
}

/** A page has either a title or a menu place whose label is its title. */
type Titled<A extends Area> =
  | { title: Key<A>; menu?: undefined }
  | { menu: MenuPlace | TabPlace | NestedPlace; title?: undefined }

const isAccess = (needs: Access | ResourceName): needs is Access =>
  typeof needs === 'object' || needs === 'public' || needs === 'signed-in'

/** Declares a page: `route('compute/ssh-keys', () => import('./SshKeyListPage'), { needs: 'compute_keys', … })`. */
export const route = <A extends Area>(
  path: string,
  load: () => Loaded,
  settings: PageSettings<A> & Titled<A>,
): PageRoute => ({
  path,
  load,
  needs: isAccess(settings.needs) ? settings.needs : read(settings.needs),
  texts: settings.texts,
  title: settings.menu ? { texts: 'shell', key: settings.menu.label } : { texts: settings.texts, key: settings.title },
  over: settings.over,
  frame: settings.frame ?? 'whole',
  isFramed: settings.isFramed ?? false,
  framedNeeds: settings.framedNeeds,
  menu: settings.menu,
  shows: settings.shows,
  panel: settings.panel,
  typed: settings.typed,
})

export const redirectRoute = (path: string, to: () => string): Redirect => ({ path, to })
