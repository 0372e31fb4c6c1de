import { useT } from '../../i18n/use-t'
import { BadIcon, InfoIcon } from '../../ui/icons'
import type { SignInNotice } from './sign-in-notice'
import css from './sign-in.module.css'

/** Why somebody is on this page again, or that they are out. */
export function SignInNoticeText({ notice }: { notice: SignInNotice }) {
  const t = useT('shell')
  if (notice.kind === 'signed-out')
    return (
      <div className={css.notice} role="status">
        <InfoIcon />
        <span>{t('signIn.signedOut')}</span>
      </div>
    )
  return (
    <div className={css.problem} role="alert">
      <BadIcon />
      <span>
        {notice.kind === 'unknown-provider'
          ? t('signIn.unknownProvider')
          : t('signIn.failed', { reason: notice.reason })}
        {notice.kind === 'failed' && notice.id !== null && (
          <span className={css.id}>{t('signIn.failedId', { id: notice.id })}</span>
        )}
      </span>
    </div>
  )
}
