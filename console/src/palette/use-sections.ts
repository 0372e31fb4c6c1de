import { search, type Found } from '@mainstay/contract/core/lists/search'
import { instanceHasConsole } from '@mainstay/contract/compute/instance-rules'
import { instanceKind, instances } from '@mainstay/contract/compute/instances'
import { useEffect, useState } from 'react'
import { useView } from '../api/use-view'
import { openConsole } from '../areas/compute/instances/open-console'
import { useFeature } from '../features/features'
import { useT } from '../i18n/use-t'
import { useDebounced } from '../lib/use-debounced'
import { listOf, viewPath } from '../nav/known-pages'
import type { MenuGroup } from '../nav/menu'
import { useAppNavigate } from '../nav/use-app-navigate'
import { changePlace } from '../session/change-place'
import { useMay } from '../session/may'
import { useSession } from '../session/session'
import { reloadProjects, switchProject } from '../session/sign-in'
import { AddIcon, ConsoleIcon, DomainIcon, UserIcon } from '../ui/icons'
import { pageIcons } from '../ui/page-icons'
import { foundSections, matching, stateOf, type Entry, type Section } from './entries'
import { filteredLists } from './filtered-lists'
import { keepRecent, recentThings } from './recent'
import { useAddPages } from './use-add-pages'

const noQuery = {}

interface SectionsOptions {
  /** The menu with the entries that the user may see. */
  menu: readonly MenuGroup[]
  /** Called before an action runs. */
  onDone: () => void
}

/** Sections of results for the typed text: objects found by the server, then actions, projects and pages. */
export function useSections(typed: string, { menu, onDone }: SectionsOptions) {
  const t = useT('palette')
  const shell = useT('shell')
  const account = useT('account')
  const may = useMay()
  const adds = useAddPages()
  const go = useAppNavigate()
  const session = useSession()
  const findsProjects = useFeature('project-search')
  const text = typed.trim()
  const q = useDebounced(text, 150)
  const { data, problem, isLoading } = useView(
    search.all,
    {},
    { query: q === '' ? noQuery : { q }, isEnabled: q !== '' },
  )
  // after a page reload the projects have not been requested yet
  const knowsProjects = session.projects.length > 0
  useEffect(() => {
    if (findsProjects && !knowsProjects) void reloadProjects().catch(() => {})
  }, [findsProjects, knowsProjects])
  // keep the previous results until the next response arrives
  const [kept, setKept] = useState(data)
  if (data && data !== kept) setKept(data)
  const found = text === '' ? [] : (kept?.data ?? [])

  const whose = `${session.user?.id ?? ''}.${session.project?.id ?? ''}`
  const after = (run: () => void) => () => {
    onDone()
    run()
  }
  const open = (kind: string, row: Pick<Found, 'id' | 'name'>) => {
    keepRecent(whose, { kind, ...row })
    go(viewPath(kind, row.id)!)
  }
  const iconOf = (kind: string) => {
    const list = listOf(kind)
    return list && pageIcons[list.icon]
  }
  const labelOf = (kind: string) => {
    const list = listOf(kind)
    return list && shell(list.label)
  }

  const recent = recentThings(whose)
    .filter(({ kind }) => labelOf(kind) !== undefined)
    .map((thing): Entry => ({
      id: `recent ${thing.kind} ${thing.id}`,
      label: thing.name,
      detail: labelOf(thing.kind),
      icon: iconOf(thing.kind),
      run: after(() => open(thing.kind, thing)),
    }))
  const [first] = found.find(({ kind }) => kind === instanceKind.name)?.rows ?? []
  const actions: Entry[] = [
    ...(first && may(instances.console.needs) && instanceHasConsole(stateOf(first))
      ? [
          {
            id: 'console',
            label: t('console', { name: first.name }),
            icon: ConsoleIcon,
            run: after(() => openConsole(first.id, 'vnc')),
          },
        ]
      : []),
    ...matching(
      adds
        .filter(({ needs }) => may(needs))
        .map(({ kind, to, label }) => ({
          id: `create ${kind}`,
          label,
          icon: AddIcon,
          run: after(() => go(to)),
        })),
      text,
    ),
  ]
  const lists = filteredLists(text)
    .filter(({ needs }) => may(needs))
    .map(({ kind, to }): Entry => ({
      id: `list ${kind.name}`,
      label: labelOf(kind.name)!,
      detail: text,
      icon: iconOf(kind.name),
      run: after(() => go(to, { search: { typed: text } })),
    }))
  const projects = findsProjects
    ? session.projects
        .filter(({ id, enabled }) => enabled && id !== session.project?.id)
        .map((project) => ({
          id: `project ${project.id}`,
          label: project.name,
          icon: DomainIcon,
          run: after(() => changePlace(() => switchProject(project))),
        }))
    : []
  const pages = [
    ...menu.flatMap((group) =>
      group.entries
        .flatMap((entry) => [entry, ...entry.tabs.filter(({ needs }) => may(needs))])
        .map(({ to, label, icon }) => ({
          id: `page ${to}`,
          label: shell(label),
          // distinguishes pages with the same name
          detail: shell(group.label),
          icon: pageIcons[icon],
          run: after(() => go(to)),
        })),
    ),
    { id: 'page /account', label: account('user.account'), icon: UserIcon, run: after(() => go('/account')) },
  ]

  const sections: Section[] = [
    ...(text === '' ? [{ id: 'recent', label: t('recent'), entries: recent }] : []),
    ...foundSections(found, { labelOf, iconOf, open: (kind, row) => after(() => open(kind, row))() }),
    { id: 'lists', label: t('lists'), entries: lists },
    { id: 'actions', label: t('actions'), entries: actions },
    { id: 'projects', label: t('projects'), entries: text === '' ? [] : matching(projects, text).slice(0, 5) },
    { id: 'pages', label: t('pages'), entries: matching(pages, text) },
  ]
  return {
    sections: sections.filter(({ entries }) => entries.length > 0),
    /** Whether results for the typed text are still pending. */
    isAwaited: text !== q || (q !== '' && isLoading),
    problem: q === '' ? undefined : problem,
  }
}
