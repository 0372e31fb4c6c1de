import { QueryClientProvider } from '@tanstack/react-query'
import { lazy, Suspense, useEffect } from 'react'
import { queryClient } from '../../../../api/query-client'
import { useT } from '../../../../i18n/use-t'
import { rootPath } from '../../../../lib/root-path'
import { paths } from '../../../../nav/paths'
import { useParam } from '../../../../nav/use-param'
import { useQuestion } from '../../../../patterns/confirm'
import { metaReady } from '../../../../session/meta'
import { useSession } from '../../../../session/session'
import { buttonClass } from '../../../../ui/button-class'
import { Screening } from './Screening'
import { ScreenMessage } from './ScreenMessage'
import css from './ScreenPage.module.css'

const ConfirmHost = lazy(() => import('../../../../patterns/ConfirmDialog'))

/** The screen of an instance in a tab of its own, without header and menu. Whoever is not signed in is told so here. */
export default function ScreenPage() {
  const t = useT('compute')
  useT('patterns')
  useT('shell')
  const id = useParam('instanceId')
  const user = useSession((session) => session.user)
  const domain = useSession((session) => session.domain)
  const isAsking = useQuestion(({ asked }) => asked !== undefined)

  // a page without the frame has nobody who asked for the permissions before
  useEffect(() => {
    if (user) void metaReady().catch(() => {})
  }, [user])

  const back = `redirectUrl=${encodeURIComponent(paths.instances.console(id))}`
  return (
    <QueryClientProvider client={queryClient}>
      <div className={css.page}>
        {user ? (
          <Screening key={id} id={id} />
        ) : (
          <main className={css.stage}>
            <ScreenMessage
              title={t('console.signedOut')}
              action={
                <a
                  className={buttonClass({ variant: 'primary' })}
                  href={`${rootPath.replace(/\/$/, '')}${paths.login(domain)}?${back}`}
                >
                  {t('console.signIn')}
                </a>
              }
            />
          </main>
        )}
      </div>
      <Suspense fallback={null}>{isAsking && <ConfirmHost />}</Suspense>
    </QueryClientProvider>
  )
}
