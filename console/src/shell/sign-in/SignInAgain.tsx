import { lazy, Suspense, useState } from 'react'
import { useFormat } from '../../i18n/use-format'
import { useT } from '../../i18n/use-t'
import { rootPath } from '../../lib/root-path'
import { paths } from '../../nav/paths'
import { useAppNavigate } from '../../nav/use-app-navigate'
import { useUploads } from '../../notices/uploads'
import { useSession } from '../../session/session'
import { signOut } from '../../session/sign-out'
import { Button } from '../../ui/Button'
import { Dialog } from '../../ui/overlays/Dialog'
import { UserIcon } from '../../ui/icons'
import { PasswordAgain } from './PasswordAgain'
import again from './SignInAgain.module.css'
import css from './sign-in.module.css'

const ProviderAgain = lazy(() => import('./ProviderAgain'))

/** Dialog shown over the page when the session has ended, so that unfinished work is kept (wishes W2). */
export default function SignInAgain() {
  const t = useT('notices')
  const format = useFormat()
  const go = useAppNavigate()
  const { user, domain, expiredAt, isChangeWaiting, takenOverBy } = useSession()
  const [shownAt] = useState(() => Date.now())
  const uploads = useUploads((state) => state.uploads)
  if (takenOverBy !== null) return <TakenOver name={takenOverBy} />
  const provider = user?.external_provider ?? null
  const time = format.time(expiredAt ?? shownAt)
  const upload = uploads.find(({ status }) => status === 'PENDING' || status === 'PROGRESS')
  // no redirect, because the next user must not land on this user’s page
  const leave = () => void signOut().then(() => go(paths.login(domain), { replace: true }))
  return (
    // nothing behind the dialog works without a session, so it cannot be closed
    <Dialog isOpen isFirm hasNoCross title={t('relogin.title')} onClose={() => {}}>
      <div className={css.form}>
        <p>
          {provider === null
            ? t('relogin.text', { time, isWaiting: String(isChangeWaiting) })
            : t('relogin.provider', { time })}
        </p>
        {upload && <p>{t('relogin.upload', { name: upload.name })}</p>}
        <div className={again.who}>
          <UserIcon />
          <span className={again.name}>
            <bdi>{user?.name}</bdi>
            <span>{t('relogin.domain', { domain: user?.domain_name ?? '' })}</span>
          </span>
          <Button variant="plain" size="small" onPress={leave}>
            {t('relogin.other')}
          </Button>
        </div>
        <Suspense fallback={null}>
          {provider === null ? <PasswordAgain username={user?.name ?? ''} /> : <ProviderAgain provider={provider} />}
        </Suspense>
        <Button onPress={leave}>{t('relogin.leave')}</Button>
      </div>
    </Dialog>
  )
}

/**
 * Shown when a different user has signed in in another tab. This page neither shows that user’s data nor sends requests
 * on their behalf.
 */
function TakenOver({ name }: { name: string }) {
  const t = useT('notices')
  const user = useSession((session) => session.user)
  return (
    <Dialog
      isOpen
      isFirm
      hasNoCross
      role="alertdialog"
      title={t('relogin.takenOver', { name })}
      onClose={() => {}}
      footer={
        <Button variant="primary" autoFocus onPress={() => location.assign(rootPath)}>
          {t('relogin.start', { name })}
        </Button>
      }
    >
      <p>{t('relogin.takenOverText', { name, user: user?.name ?? '' })}</p>
    </Dialog>
  )
}
