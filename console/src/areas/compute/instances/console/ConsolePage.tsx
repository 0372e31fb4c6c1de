import { QueryClientProvider } from '@tanstack/react-query'
import { lazy, Suspense, useEffect } from 'react'
import { queryClient } from '../../../../api/query-client'
import { useT } from '../../../../i18n/use-t'
import { rootPath } from '../../../../lib/root-path'
import { paths } from '../../../../nav/paths'
import { useParam, useSearchParam } from '../../../../nav/use-param'
import { useQuestion } from '../../../../patterns/dialogs/confirm'
import { metaReady } from '../../../../session/meta'
import { useSession } from '../../../../session/session'
import { buttonClass } from '../../../../ui/button-class'
import { consolePath } from '../resource'
import { ConsoleMessage } from './ConsoleMessage'
import css from './ConsolePage.module.css'

const Screen = lazy(() => import('./Screen'))
const Terminal = lazy(() => import('./Terminal'))
const ConfirmHost = lazy(() => import('../../../../patterns/dialogs/ConfirmDialog'))

/**
 * An instance's graphical console or terminal in its own browser tab, without header and menu. Asks signed-out users to
 * sign in.
 */
export default function ConsolePage() {
  const t = useT('console')
  useT('patterns')
  useT('shell')
  const id = useParam('id')
  const protocol = useSearchParam('protocol') === 'serial' ? 'serial' : 'vnc'
  const user = useSession((session) => session.user)
  const domain = useSession((session) => session.domain)
  const isAsking = useQuestion(({ asked }) => asked !== undefined)

  // this page has no frame, which would otherwise load the permissions
  useEffect(() => {
    if (user) void metaReady().catch(() => {})
  }, [user])

  const back = `redirectUrl=${encodeURIComponent(`${consolePath(id)}?protocol=${protocol}`)}`
  return (
    <QueryClientProvider client={queryClient}>
      <div className={css.page}>
        {user ? (
          <Suspense fallback={null}>
            {protocol === 'serial' ? <Terminal key={id} id={id} /> : <Screen key={id} id={id} />}
          </Suspense>
        ) : (
          <main className={css.stage}>
            <ConsoleMessage
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
