import { turnFeature, useFeatures } from '../../features/features'
import { useT } from '../../i18n/use-t'
import { mute, useNoticeSettings } from '../../notices/notice-settings'
import { noticeTypes, type NoticeType } from '../../notices/notice-types'
import { noticeDurations } from '../../notices/notices'
import { Switch } from '../../ui/fields/Switch'
import css from './NotificationCentre.module.css'

/** Settings for the notifications in the corner of the page. The list keeps all notifications. */
export function NoticeConfiguration() {
  const t = useT('notices')
  const { muted } = useNoticeSettings()
  const tasks = useFeatures().items?.find(({ id }) => id === 'tasks-notifications')
  const helpOf = (type: NoticeType) => {
    const duration = noticeDurations[type]
    if (muted[type]) return t('set.listOnly')
    return duration === null ? t('set.untilDone') : t('set.for', { seconds: duration / 1000 })
  }
  return (
    <div className={css.settings}>
      <Switch isSelected={muted.all} onChange={(isOn) => mute('all', isOn)} help={t('set.quietHelp')}>
        {t('set.quiet')}
      </Switch>
      <section aria-label={t('set.show')}>
        <h3 className={css.heading}>{t('set.show')}</h3>
        {noticeTypes.map((type) => (
          <Switch
            key={type}
            isSelected={!muted[type]}
            onChange={(isOn) => mute(type, !isOn)}
            isDisabled={muted.all}
            help={helpOf(type)}
          >
            {t(`filter.${type}`)}
          </Switch>
        ))}
      </section>
      {tasks && (
        <section aria-label={t('set.also')}>
          <h3 className={css.heading}>{t('set.also')}</h3>
          <Switch isSelected={tasks.isOn} onChange={(isOn) => turnFeature(tasks, isOn)} help={t('set.tasksHelp')}>
            {t('set.tasks')}
          </Switch>
        </section>
      )}
    </div>
  )
}
