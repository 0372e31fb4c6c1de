import { lazy, Suspense, useEffect, useState } from 'react'
import { Outlet } from '@tanstack/react-router'
import { QueryClientProvider } from '@tanstack/react-query'
import { afterFirstAnswers } from '../api/first-answers'
import { queryClient } from '../api/query-client'
import { useT } from '../i18n/use-t'
import { followTasks } from '../notices/task-notices'
import { useQuestion } from '../patterns/confirm'
import { useSession } from '../session/session'
import { Banners } from './banners/Banners'
import { Header } from './Header'
import { PageSpinner } from './PageSpinner'
import { RestartingVeil } from './banners/RestartingVeil'
import { SideMenu } from './SideMenu'
import css from './Frame.module.css'

const BottomNotices = lazy(() => import('./banners/BottomNotices').then((it) => ({ default: it.BottomNotices })))
const ConfirmDialog = lazy(() => import('../patterns/ConfirmDialog'))
const SignInAgain = lazy(() => import('./sign-in/SignInAgain'))

/** What stands around a page behind sign-in: header, menu, banners, the corner with notices, and dialogs over it. */
export function Frame() {
  const t = useT('shell')
  useT('patterns')
  const isExpired = useSession((session) => session.isExpired)
  const isRestarting = useSession((session) => session.isRestarting)
  const isAsking = useQuestion(({ asked }) => asked !== undefined)
  // what was of one project must not stay on the screen in the next
  const scope = useSession(({ project, user }) => `${user?.id} ${project?.id}`)
  // until the page is there, there is nothing to say about it
  const [isAnswered, setAnswered] = useState(false)
  useEffect(() => afterFirstAnswers(() => setAnswered(true)), [])
  useEffect(() => followTasks(), [])

  return (
    <QueryClientProvider client={queryClient}>
      <a className={css.skip} href="#content">
        {t('menu.skip')}
      </a>
      <div className={css.frame}>
        <Header />
        <SideMenu />
        <main className={css.main} id="content" tabIndex={-1}>
          <Banners />
          <Suspense fallback={<PageSpinner />} key={scope}>
            <Outlet />
          </Suspense>
        </main>
      </div>
      {isRestarting && <RestartingVeil />}
      <Suspense fallback={null}>{isAnswered && <BottomNotices />}</Suspense>
      <Suspense fallback={null}>
        {isAsking && <ConfirmDialog />}
        {isExpired && <SignInAgain />}
      </Suspense>
    </QueryClientProvider>
  )
}
