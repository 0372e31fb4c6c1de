import { useEffect } from 'react'
import { useT } from '../../i18n/use-t'
import { notify } from '../../notices/notices'
import { Spinner } from '../../ui/feedback/Spinner'
import css from './RestartingVeil.module.css'

/** While the server restarts nothing that is pressed would have an effect; what was typed stays where it is (S1§4). */
export default function RestartingVeil() {
  const t = useT('notices')
  useEffect(() => {
    notify({ id: 'server-restarting', type: 'info', title: t('restarting.title') })
  }, [t])
  return (
    <div className={css.veil} role="status" aria-busy="true">
      <div className={css.card}>
        <Spinner size={24} />
        <div>
          <strong>{t('restarting.title')}</strong>
          <p>{t('restarting.text')}</p>
        </div>
      </div>
    </div>
  )
}
