import { resetFeatures, turnFeature, useFeatures } from '../features/features'
import { useT } from '../i18n/use-t'
import { Button } from '../ui/Button'
import { Switch } from '../ui/fields/Switch'
import { Skeleton } from '../ui/feedback/Skeleton'
import css from './Palette.module.css'

/** Switches for the optional features that each user can turn on and off. */
export function FeatureToggles() {
  const t = useT('palette')
  const { items, isChanged } = useFeatures()
  if (!items) return <Skeleton width="100%" />
  return (
    <div className={css.features}>
      <p className={css.note}>{t('features.note')}</p>
      <ul>
        {items.map((feature) => {
          const { id, isOn } = feature
          return (
            <li key={id}>
              <Switch isSelected={isOn} onChange={(next) => turnFeature(feature, next)} help={t(`feature.${id}.text`)}>
                {t(`feature.${id}`)}
              </Switch>
            </li>
          )
        })}
      </ul>
      <Button isDisabled={!isChanged} onPress={resetFeatures}>
        {t('features.reset')}
      </Button>
    </div>
  )
}
