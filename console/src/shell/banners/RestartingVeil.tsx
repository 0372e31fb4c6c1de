import { useState } from 'react'
import { useFormat } from '../../i18n/use-format'
import { useT } from '../../i18n/use-t'
import { Spinner } from '../../ui/feedback/Spinner'
import css from './RestartingVeil.module.css'

/**
 * Dims the page and blocks input while the server restarts; the page and any entered text stay visible (S1§4). The
 * frame imports it statically and it uses only the frame’s strings, because the server cannot deliver anything at that
 * time.
 */
export function RestartingVeil() {
  const t = useT('shell')
  const format = useFormat()
  const [since] = useState(() => Date.now())
  return (
    <div className={css.veil} role="status" aria-busy="true">
      <div className={css.card}>
        <Spinner size={24} />
        <div>
          <strong>{t('restarting.title')}</strong>
          <p>{t('restarting.text', { since: format.time(since) })}</p>
        </div>
      </div>
    </div>
  )
}
