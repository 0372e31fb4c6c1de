import { lazy, Suspense, useState } from 'react'
import { Outlet } from '@tanstack/react-router'
import { QueryClientProvider } from '@tanstack/react-query'
import { queryClient } from '../../api/query-client'
import { useT } from '../../i18n/use-t'
import { IframeContext, type FormResult } from '../../nav/iframe'
import { useQuestion } from '../../patterns/dialogs/confirm'
import { tellParent } from '../../session/embedding'
import { useSession } from '../../session/session'
import { InfoIcon, OkIcon } from '../../ui/icons'
import { PageSpinner } from '../PageSpinner'
import css from './iframe.module.css'

const ConfirmDialog = lazy(() => import('../../patterns/dialogs/ConfirmDialog'))
const SignInAgain = lazy(() => import('../sign-in/SignInAgain'))

/** Layout of a form embedded in an external page: no header, menu, notifications or shortcuts (S1§2). */
export default function IframeLayout() {
  const [result, setResult] = useState<FormResult>()
  const isAsking = useQuestion(({ asked }) => asked !== undefined)
  const isExpired = useSession(({ isExpired: isOver, takenOverBy }) => isOver || takenOverBy !== null)
  const end = (how: FormResult, id?: string) => {
    setResult(how)
    tellParent({ type: 'close', result: how, id: id ?? null })
  }
  return (
    <QueryClientProvider client={queryClient}>
      <main className={css.frame}>
        {result ? (
          <Ended result={result} />
        ) : (
          <IframeContext value={end}>
            <Suspense fallback={<PageSpinner />}>
              <Outlet />
            </Suspense>
          </IframeContext>
        )}
      </main>
      <Suspense fallback={null}>
        {isAsking && <ConfirmDialog />}
        {isExpired && <SignInAgain />}
      </Suspense>
    </QueryClientProvider>
  )
}

/** Shown until the embedding page removes the frame. */
function Ended({ result }: { result: FormResult }) {
  const t = useT('iframe')
  const EndIcon = result === 'done' ? OkIcon : InfoIcon
  return (
    <div className={css.over} role="status">
      <EndIcon />
      <p>{t(result === 'done' ? 'done' : 'cancelled')}</p>
      <p className={css.dim}>{t('doneText')}</p>
    </div>
  )
}
