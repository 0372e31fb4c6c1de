import type { ComponentType } from 'react'
import { read, type Access } from '@mainstay/contract/core/endpoint'
import type { ResourceName } from '@mainstay/contract/permissions'
import type { Area, Key } from '../i18n/catalogues'

type Loaded = Promise<{ default: ComponentType }>

/** Groups of the menu. `domain`: all there is for who administers a domain outside of any project; beside the others for operators. */
export type MenuGroupId = 'main' | 'compute' | 'network' | 'domain'

/** Where the menu has a page. Entries of a group stand in the order of the table of routes. */
export interface MenuPlace {
  group: MenuGroupId
  /** It stands there as well. */
  alsoIn?: MenuGroupId
  icon: ComponentType
  /** Of the shell's catalogue: those of the areas come with their pages. */
  label: Key<'shell'>
  /** Not where this is not set up. */
  service?: 'compute' | 'recycle_bin'
  /** The right that the entry takes, where it is not that of the page. */
  needs?: Access
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
  title: string
  /** The page that stays on the screen under this one: closing it loses neither place nor filter. */
  over: string | undefined
  /** `bare`: without header and menu; `signed-in`: with them for whoever is signed in. */
  frame: 'whole' | 'bare' | 'signed-in'
  /** It may stand alone in a page of somebody else's, though it changes nothing: a chart. */
  isFramed: boolean
  /** The right that it takes there, where it is not `needs`. */
  framedNeeds: Access | undefined
  /** Not in the menu when left out. */
  menu: MenuPlace | undefined
  /** The kind of which it shows the one that `$id` names. */
  shows: string | undefined
  /** `admin`: a page of operators, which the portal does not have. */
  panel: 'admin' | undefined
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
  title: Key<A>
  over?: string | undefined
  frame?: PageRoute['frame']
  isFramed?: boolean
  framedNeeds?: Access | undefined
  menu?: MenuPlace | undefined
  shows?: string | undefined
  panel?: 'admin' | undefined
}

const isAccess = (needs: Access | ResourceName): needs is Access =>
  typeof needs === 'object' || needs === 'public' || needs === 'signed-in'

/** `route('compute/ssh-keys', () => import('./SshKeyListPage'), { needs: 'compute_keys', … })` */
export const route = <A extends Area>(path: string, load: () => Loaded, settings: PageSettings<A>): PageRoute => ({
  path,
  load,
  needs: isAccess(settings.needs) ? settings.needs : read(settings.needs),
  texts: settings.texts,
  title: settings.title,
  over: settings.over,
  frame: settings.frame ?? 'whole',
  isFramed: settings.isFramed ?? false,
  framedNeeds: settings.framedNeeds,
  menu: settings.menu,
  shows: settings.shows,
  panel: settings.panel,
})

export const redirectRoute = (path: string, to: () => string): Redirect => ({ path, to })
