import { createElement, type ComponentType } from 'react'
import type { Access, Endpoint } from '@mainstay/contract/core/endpoint'
import type { Key } from '../../i18n/catalogues'
import type { Named, ResourceOf } from '../../nav/resource'
import { route, type PageRoute } from '../../nav/route'
import type { Screens } from './screens'

type Load<Default> = () => Promise<{ default: Default }>
type Page = Load<ComponentType>

/** What is special about a page; what is left out is as usual. */
export interface SpecialPage {
  /** Its own component. */
  load?: Page
  /** Its address below the list, where it has more steps: `add/{-$step}`. */
  path?: string
  /** It takes the place of the list, and is not drawn over it. */
  isAlone?: boolean
  /** A right other than that of its call. */
  needs?: Access
  /** A right other than that in a page of somebody else's. */
  framedNeeds?: Access
}

/** A page that only this resource has. */
export interface FurtherPage {
  /** Below the list: `$id/assign/$carrier`. */
  path: string
  load: Page
  needs: Access
  title: string
}

export interface PageLoaders<Item extends Named> {
  /** Table, details and forms of an ordinary resource. */
  screens?: Load<Screens<Item>>
  /** Null: this page is not among them, though there is its call. */
  list?: SpecialPage | Page | null
  add?: SpecialPage | Page | null
  view?: SpecialPage | Page | null
  edit?: SpecialPage | Page | null
  more?: readonly FurtherPage[]
  /** They are all of this panel. */
  panel?: 'admin'
}

const special = (page: SpecialPage | Page | null | undefined): SpecialPage | undefined =>
  typeof page === 'function' ? { load: page } : (page ?? undefined)

/** The page of a pattern, with what a resource has for it. */
const made = <Props extends object>(pattern: Promise<ComponentType<Props>>, given: Promise<Props>): ReturnType<Page> =>
  Promise.all([pattern, given]).then(([component, props]) => ({ default: () => createElement(component, props) }))

/** The pages that ordinary parts make: fetched with the first of them that is opened. */
function ordinary<Item extends Named>(resource: ResourceOf<Item>, screens: Load<Screens<Item>>) {
  const shown = () => screens().then(({ default: it }) => ({ resource, screens: it }))
  const filled = async (call: 'create' | 'update') => {
    const { form } = (await screens()).default
    const schema = form?.[call]?.schema
    if (!form || !schema) throw new Error(`The screens of ${resource.words} have no form for the call ${call}`)
    return { resource, form, schema: await schema() }
  }
  return {
    list: () =>
      made(
        import('./PlainListPage').then((it) => it.PlainListPage<Item>),
        shown(),
      ),
    view: () =>
      made(
        import('./PlainPage').then((it) => it.PlainPage<Item>),
        shown(),
      ),
    add: () =>
      made(
        import('./plain-forms').then((it) => it.PlainAddForm<Item>),
        filled('create'),
      ),
    edit: () =>
      made(
        import('./plain-forms').then((it) => it.PlainEditForm<Item>),
        filled('update'),
      ),
  }
}

/**
 * The routes of a resource, with the rights of its calls: list, `add` and `$id` over it, `$id/edit` over that. What is
 * ordinary is made of `screens`; a page that needs more is a component.
 */
export function resourcePages<Item extends Named>(resource: ResourceOf<Item>, loaders: PageLoaders<Item>): PageRoute[] {
  const { area, calls, path, words } = resource
  const { panel } = loaders
  const plain = loaders.screens && ordinary(resource, loaders.screens)
  const page = (
    name: 'list' | 'add' | 'view' | 'edit',
    call: Endpoint | undefined,
    settings: { path: string; title: string; over?: string | undefined } & Partial<
      Pick<PageRoute, 'menu' | 'shows' | 'typed'>
    >,
  ): PageRoute[] => {
    const own = special(loaders[name])
    const load = own?.load ?? plain?.[name]
    if (!call || !load || loaders[name] === null) return []
    return [
      route(own?.path === undefined ? settings.path : `${path}/${own.path}`, load, {
        shows: settings.shows,
        typed: settings.typed,
        needs: own?.needs ?? call.needs,
        framedNeeds: own?.framedNeeds,
        texts: area,
        over: own?.isAlone ? undefined : settings.over,
        panel,
        ...(settings.menu ? { menu: settings.menu } : { title: `${words}.${settings.title}` as Key }),
      }),
    ]
  }
  const one = special(loaders.view)?.path ?? '$id'
  return [
    ...page('list', calls.list, {
      path,
      title: 'title',
      menu: resource.menu,
      typed: resource.isTyped ? { kind: resource.kind, needs: calls.list.needs, to: resource.paths.list() } : undefined,
    }),
    ...page('add', calls.create, { path: `${path}/add`, title: 'add', over: path }),
    ...page('view', calls.view, { path: `${path}/${one}`, title: 'one', over: path, shows: resource.kind.name }),
    ...page('edit', calls.update, { path: `${path}/$id/edit`, title: 'edit', over: `${path}/${one}` }),
    ...(loaders.more ?? []).map((it) =>
      route(`${path}/${it.path}`, it.load, {
        needs: it.needs,
        texts: area,
        title: `${words}.${it.title}` as Key,
        over: `${path}/${one}`,
        panel,
      }),
    ),
  ]
}

/** The page under it draws its tabs; this one only gives a tab an address. */
export const tab: Page = () => import('../TabAddress')
