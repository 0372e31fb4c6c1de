import type { ComponentType } from 'react'
import { read, type Access, type Endpoint } from '@mainstay/contract/core/endpoint'
import type { Kind } from '@mainstay/contract/core/kind'
import type { ResourceName } from '@mainstay/contract/permissions'
import type { Area, Key } from '../i18n/catalogues'
import type { PageIcon } from '../ui/page-icons'
import type { MenuSpot } from './menu-groups'

type Loaded = Promise<{ default: ComponentType }>

/** How many things wait behind an entry: rows of a list, counted live. */
export interface MenuCount {
  call: Endpoint
  kind: Kind
  /** Filters of the list. */
  only: Readonly<Record<string, string>>
}

/** The place of a page in the tree of the menu. Entries of a heading stand in the order of the table of routes. */
export interface MenuPlace {
  in: MenuSpot
  /** Its place in domain mode; left out: it has none there. */
  inDomain?: MenuSpot
  /** Drawn in the command palette. */
  icon: PageIcon
  /** Of the shell's catalogue: those of the areas arrive with their pages. It is the title of the window as well. */
  label: Key<'shell'>
  /** Absent where this is not set up. */
  service?: 'compute' | 'recycle_bin'
  /** The right that the entry takes, where it is not that of the page. */
  needs?: Access
  /** `g` and then this key lead there. */
  key?: string
  /** What needs attention there: said in red at the end of the line, with a dot on the group. */
  alerts?: MenuCount
}

/** The place of a page that has no entry of its own: a tab beside an entry. */
export interface TabPlace {
  /** The address of the entry, without a slash at the start. */
  tabOf: string
  icon: PageIcon
  label: Key<'shell'>
}

/** The place of a list below one object: a disk of a node. Breadcrumbs and the command palette call it by its label. */
export interface NestedPlace {
  icon: PageIcon
  label: Key<'shell'>
}

/** A page of the console: where it is, what it needs, what it is called. */
export interface PageRoute {
  /** Without a slash at the start; parameters as `$name`, optional ones as `{-$name}`. */
  path: string
  load: () => Loaded
  /** The right that it takes, the one of its main call. */
  needs: Access
  /** The catalogue of its texts, fetched beside its code. */
  texts: Area
  /** Its title: of its own texts, or of the shell's where it is the label of a page in the tree. */
  title: { texts: Area; key: string }
  /** The page that stays on the screen under this one: closing it loses neither place nor filter. */
  over: string | undefined
  /** `bare`: without header and menu; `signed-in`: with them for whoever is signed in. */
  frame: 'whole' | 'bare' | 'signed-in'
  /** It may stand alone in a page of somebody else's, though it changes nothing: a chart. */
  isFramed: boolean
  /** The right that it takes there, where it is not `needs`. */
  framedNeeds: Access | undefined
  /** Its place in the tree of the menu; most pages have none. */
  menu: MenuPlace | TabPlace | NestedPlace | undefined
  /** The kind of which it shows the one that `$id` names. */
  shows: string | undefined
  /** `admin`: a page of operators, which the portal does not have. */
  panel: 'admin' | undefined
  /** The resource that it lists, where words typed into the search may be filters of that list. */
  typed: TypedList | undefined
}

/** A list that takes filters as text: `status:error`. */
export interface TypedList {
  kind: Kind
  /** The right that the list takes. */
  needs: Access
  to: string
}

/** An address that only leads to another. */
export interface Redirect {
  path: string
  to: () => string
}

interface PageSettings<A extends Area> {
  /** A resource alone needs the right to read it. */
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

/** A page has a title, or a place in the tree whose label is its title. */
type Titled<A extends Area> =
  | { title: Key<A>; menu?: undefined }
  | { menu: MenuPlace | TabPlace | NestedPlace; title?: undefined }

const isAccess = (needs: Access | ResourceName): needs is Access =>
  typeof needs === 'object' || needs === 'public' || needs === 'signed-in'

/** `route('compute/ssh-keys', () => import('./SshKeyListPage'), { needs: 'compute_keys', … })` */
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
