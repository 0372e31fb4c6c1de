import { session } from '@mainstay/contract/identity/session'
import { useLocation } from '@tanstack/react-router'
import { useState } from 'react'
import { problemText } from '../api/problem-text'
import { useView } from '../api/use-view'
import { useT } from '../i18n/use-t'
import { useDelayed } from '../lib/use-delayed'
import { useAppNavigate } from '../nav/use-app-navigate'
import { changePlace } from '../session/change-place'
import { switchProject } from '../session/sign-in'
import { EmptyState } from '../ui/feedback/EmptyState'
import { ErrorPanel } from '../ui/feedback/ErrorPanel'
import { SkeletonRows } from '../ui/feedback/Skeleton'
import { SearchField } from '../ui/fields/SearchField'
import { Dialog } from '../ui/overlays/Dialog'
import css from './ChooseProject.module.css'

/** Asks for a project to work in, then opens the requested page in it. */
export function ChooseProject({ closeTo }: { closeTo: string }) {
  const t = useT('identity')
  const patterns = useT('patterns')
  const shell = useT('shell')
  const go = useAppNavigate()
  const { pathname } = useLocation()
  const [typed, setTyped] = useState('')
  const { data, problem, isLoading, reload } = useView(session.computeProjects, {}, { isUnscoped: true })
  const isLate = useDelayed(isLoading)
  const wanted = typed.trim().toLowerCase()
  const found = data?.data.filter(({ name, enabled }) => enabled && name.toLowerCase().includes(wanted)) ?? []
  return (
    <Dialog title={t('projects.inWhich')} isOpen onClose={() => go(closeTo)}>
      <p className={css.note}>{t('projects.inWhichNote')}</p>
      <SearchField autoFocus label={patterns('chooser.search')} value={typed} onChange={setTyped} />
      {problem ? (
        <ErrorPanel
          title={patterns('table.loadFailed')}
          why={problemText(problem, shell)}
          id={problem.requestId}
          onRetry={reload}
        />
      ) : isLoading ? (
        isLate && <SkeletonRows rows={4} columns={1} />
      ) : found.length === 0 ? (
        <EmptyState>{patterns('chooser.empty')}</EmptyState>
      ) : (
        <ul className={css.list}>
          {found.map((project) => (
            <li key={project.id}>
              <button
                type="button"
                className={css.item}
                onClick={() =>
                  changePlace(async () => {
                    await switchProject(project)
                    go(pathname, { keepsSearch: true })
                  })
                }
              >
                <bdi>{project.name}</bdi>
                <bdi className={css.domain}>{project.domain_name}</bdi>
              </button>
            </li>
          ))}
        </ul>
      )}
    </Dialog>
  )
}
