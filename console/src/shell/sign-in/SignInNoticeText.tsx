import { Suspense } from 'react'
import { useT } from '../../i18n/use-t'
import { InfoIcon } from '../../ui/icons'
import { Fault } from './Fault'
import type { SignInNotice } from './sign-in-notice'
import css from './sign-in.module.css'

/** Explains why the user is on the sign-in page again. */
export function SignInNoticeText({ notice }: { notice: SignInNotice }) {
  const t = useT('shell')
  if (notice.kind === 'signed-out' || notice.kind === 'idle')
    return (
      <div className={css.notice} role="status">
        <InfoIcon />
        <span>{notice.kind === 'idle' ? t('signIn.idle', { minutes: notice.minutes }) : t('signIn.signedOut')}</span>
      </div>
    )
  return (
    <Suspense fallback={null}>
      <FailureText notice={notice} />
    </Suspense>
  )
}

/** The strings are loaded separately, because failures are rare. */
function FailureText({ notice }: { notice: Exclude<SignInNotice, { kind: 'signed-out' | 'idle' }> }) {
  const t = useT('errors')
  return (
    <Fault>
      {notice.kind === 'unknown-provider' ? t('signIn.unknownProvider') : t('signIn.failed', { reason: notice.reason })}
      {notice.kind === 'failed' && notice.id !== null && (
        <span className={css.id}>{t('signIn.failedId', { id: notice.id })}</span>
      )}
    </Fault>
  )
}
