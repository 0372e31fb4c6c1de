import { lazy, Suspense, useEffect, type ReactNode } from 'react'
import { Outlet } from '@tanstack/react-router'
import { QueryClientProvider } from '@tanstack/react-query'
import { useFirstAnswers } from '../api/first-answers'
import { queryClient } from '../api/query-client'
import { useT } from '../i18n/use-t'
import { followTaskChanges } from '../notices/expected-tasks'
import { useQuestion } from '../patterns/dialogs/confirm'
import { useSession } from '../session/session'
import { RestartingVeil } from './banners/RestartingVeil'
import { SimulatedBanner } from './banners/SimulatedBanner'
import { Extra } from './Extra'
import { FramedContext } from './framed'
import { Header } from './Header'
import { PageSpinner } from './PageSpinner'
import { SideMenu } from './menus/SideMenu'
import css from './Frame.module.css'

const Banners = lazy(() => import('./banners/Banners').then((it) => ({ default: it.Banners })))
const BottomNotices = lazy(() => import('./notifications/BottomNotices').then((it) => ({ default: it.BottomNotices })))
const Bell = lazy(() => import('./notifications/Bell').then((it) => ({ default: it.Bell })))
const IdleWatch = lazy(() => import('./idle/IdleWatch').then((it) => ({ default: it.IdleWatch })))
const ConfirmDialog = lazy(() => import('../patterns/dialogs/ConfirmDialog'))
const Shortcuts = lazy(() => import('./shortcuts/Shortcuts'))
const SignInAgain = lazy(() => import('./sign-in/SignInAgain'))

/** The frame around pages that require a sign-in: header, menu, banners, notifications in the corner, and dialogs. */
export function Frame({ children }: { children?: ReactNode }) {
  const t = useT('shell')
  useT('patterns')
  const isExpired = useSession(({ isExpired: isOver, takenOverBy }) => isOver || takenOverBy !== null)
  const isRestarting = useSession((session) => session.isRestarting)
  const isAsking = useQuestion(({ asked }) => asked !== undefined)
  // remount when the user or project changes, so that one project’s data is not shown in another
  const scope = useSession(({ project, user }) => `${user?.id} ${project?.id}`)
  // the other parts have nothing to show until the page has received its first responses
  const isAnswered = useFirstAnswers()
  useEffect(() => followTaskChanges(), [])

  return (
    <QueryClientProvider client={queryClient}>
      <a className={css.skip} href="#content">
        {t('menu.skip')}
      </a>
      <div className={css.frame}>
        <Header bell={<Extra>{isAnswered && <Bell />}</Extra>} />
        <SideMenu />
        <main className={css.main} id="content" tabIndex={-1}>
          <SimulatedBanner />
          <Extra>{isAnswered && <Banners />}</Extra>
          <Suspense fallback={<PageSpinner />} key={scope}>
            <FramedContext value={true}>{children ?? <Outlet />}</FramedContext>
          </Suspense>
        </main>
      </div>
      <Extra>{isAnswered && <BottomNotices />}</Extra>
      <Extra>{isAnswered && <IdleWatch />}</Extra>
      <Extra>{isAnswered && <Shortcuts />}</Extra>
      {isRestarting && <RestartingVeil />}
      <Suspense fallback={null}>
        {isAsking && <ConfirmDialog />}
        {isExpired && <SignInAgain />}
      </Suspense>
    </QueryClientProvider>
  )
}
