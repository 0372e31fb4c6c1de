import { lazy, Suspense } from 'react'
import { useT } from '../i18n/use-t'
import { reloadProjects } from '../session/sign-in'
import { isDomainMode, useSession } from '../session/session'
import { Button } from '../ui/Button'
import { ChooseIcon } from '../ui/icons'
import { LazyPopover } from '../patterns/lazy-overlays'
import css from './ProjectChooser.module.css'

const ProjectList = lazy(() => import('./ProjectList'))

/** Shows the current scope (project, domain or everything) and switches it. */
export function ProjectChooser() {
  const t = useT('shell')
  const session = useSession()
  const { project, panel } = session
  const isAdmin = panel?.panel === 'admin'
  const mark = isAdmin && <strong className={css.mark}>{t('panel.admin')}</strong>
  if (isAdmin && !project)
    return (
      <>
        {mark}
        <span className={css.fixed}>{t('chooser.everything')}</span>
      </>
    )
  const name = isDomainMode(session) ? t('chooser.domain') : (project?.name ?? '')
  return (
    <>
      {mark}
      <LazyPopover
        label={t('chooser.title')}
        placement="bottom start"
        isFlush
        onOpenChange={(isOpen) => {
          if (isOpen) void reloadProjects().catch(() => {})
        }}
        trigger={
          <Button variant="plain" className={css.button} aria-label={t('chooser.label', { name })}>
            <span className={css.name}>{name}</span>
            <ChooseIcon />
          </Button>
        }
      >
        {({ close }) => (
          <Suspense fallback={null}>
            <ProjectList onChosen={close} />
          </Suspense>
        )}
      </LazyPopover>
    </>
  )
}
