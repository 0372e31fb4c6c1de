import { useLive } from '../api/live-state'
import { useT } from '../i18n/use-t'
import { classes } from '../lib/classes'
import { LiveIcon, OfflineIcon } from '../ui/icons'
import { Spinner } from '../ui/feedback/Spinner'
import css from './LiveMark.module.css'

/** Shows whether the page receives live updates from the server (wishes W4). */
export function LiveMark() {
  const t = useT('shell')
  const { state, offlineSince } = useLive()
  if (state === 'off') return null
  const words =
    state === 'live'
      ? t('live.live')
      : state === 'offline'
        ? t('live.offline', { since: new Date(offlineSince ?? 0) })
        : t(state === 'connecting' ? 'live.connecting' : 'live.catchingUp')
  return (
    <span className={classes(css.mark, css[state])} role="status" title={words}>
      {state === 'live' ? <LiveIcon /> : state === 'offline' ? <OfflineIcon /> : <Spinner size={14} />}
      <span className={css.words}>{words}</span>
    </span>
  )
}
