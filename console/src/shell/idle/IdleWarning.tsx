import { useState } from 'react'
import { useT } from '../../i18n/use-t'
import { draftHours, hasDrafts } from '../../session/drafts'
import { resetIdle, useIdle, warnSeconds } from '../../session/idle'
import { signOut } from '../../session/sign-out'
import { Button } from '../../ui/Button'
import { Dialog } from '../../ui/overlays/Dialog'
import { VisuallyHidden } from '../../ui/VisuallyHidden'
import css from './IdleWarning.module.css'

/** Remaining seconds at which screen readers announce the time. */
const spoken = [60, 30, 10]

const radius = 30
const around = 2 * Math.PI * radius

/** Warning in the last minute before the idle sign-out. Any activity keeps the user signed in. */
export default function IdleWarning() {
  const t = useT('notices')
  const { secondsLeft, minutes } = useIdle()
  const seconds = secondsLeft ?? 0
  const [isKept] = useState(hasDrafts)
  const last = spoken.findLast((it) => it >= seconds) ?? seconds
  return (
    <Dialog
      isOpen
      isFirm
      hasNoCross
      role="alertdialog"
      title={t('idle.title')}
      onClose={resetIdle}
      footer={
        <>
          <Button onPress={() => void signOut()}>{t('idle.leave')}</Button>
          <Button variant="primary" autoFocus onPress={resetIdle}>
            {t('idle.stay')}
          </Button>
        </>
      }
    >
      <div className={css.warning}>
        <div className={css.clock} aria-hidden="true">
          <svg viewBox="0 0 68 68">
            <circle cx="34" cy="34" r={radius} className={css.track} />
            <circle
              cx="34"
              cy="34"
              r={radius}
              className={css.rest}
              strokeDasharray={`${(around * Math.min(seconds, warnSeconds)) / warnSeconds} ${around}`}
              transform="rotate(-90 34 34)"
            />
          </svg>
          <span className={css.figure}>{seconds}</span>
        </div>
        <div className={css.words}>
          <p aria-hidden="true">{t('idle.text', { seconds, minutes })}</p>
          {isKept && <p>{t('idle.kept', { hours: draftHours })}</p>}
        </div>
      </div>
      <div role="status">
        <VisuallyHidden>{t('idle.text', { seconds: last, minutes })}</VisuallyHidden>
      </div>
    </Dialog>
  )
}
