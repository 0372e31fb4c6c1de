import { createElement, type ComponentType } from 'react'
import type { Access, Endpoint } from '@mainstay/contract/core/endpoint'
import type { Key } from '../../i18n/catalogues'
import type { Named, ResourceOf } from '../../nav/resource'
import { route, type PageRoute } from '../../nav/route'
import type { Screens } from './screens'

type Load<Default> = () => Promise<{ default: Default }>
type Page = Load<ComponentType>

/** Overrides for a standard page. */
export interface SpecialPage {
  /** A custom component. */
  load?: Page
  /** Path under the list, for pages with steps: `add/{-$step}`. */
  path?: string
  /** Replaces the list instead of being drawn over it. */
  isAlone?: boolean
  /** Overrides the permission that the call requires. */
  needs?: Access
  /** Overrides the permission when embedded in another web page. */
  framedNeeds?: Access
}

/** An additional page for a resource. */
export interface FurtherPage {
  /** Path under the list: `$id/assign/$carrier`. */
  path: string
  load: Page
  needs: Access
  title: string
}

export interface PageLoaders<Item extends Named> {
  /** Table, details and forms for a standard resource. */
  screens?: Load<Screens<Item>>
  /** Null: the page is omitted although its call exists. */
  list?: SpecialPage | Page | null
  add?: SpecialPage | Page | null
  view?: SpecialPage | Page | null
  edit?: SpecialPage | Page | null
  more?: readonly FurtherPage[]
  /** Restricts all pages to this panel. */
  panel?: 'admin'
}

const special = (page: SpecialPage | Page | null | undefined): SpecialPage | undefined =>
  typeof page === 'function' ? { load: page } : (page ?? undefined)

/** Renders a page component with a resource's definitions. */
const made = <Props extends object>(pattern: Promise<ComponentType<Props>>, given: Promise<Props>): ReturnType<Page> =>
  Promise.all([pattern, given]).then(([component, props]) => ({ default: () => createElement(component, props) }))

/** The standard pages, loaded when the first one is opened. */
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
 * Routes for a resource, with its calls' permissions: the list, `add` and `$id` over the list, and `$id/edit` over the
 * details. Standard pages are built from `screens`; others have their own component.
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

/** Gives a tab its own path; the page behind it renders the content. */
export const tab: Page = () => import('../TabAddress')
