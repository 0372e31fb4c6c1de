import { useRef } from 'react'
import { get, useFormContext, useFormState, type FieldError } from 'react-hook-form'
import { MAX_ROTATION, MIN_ROTATION, type SchedulePreset } from '@mainstay/contract/protection/schedules'
import type { Key } from '../../../i18n/catalogues'
import { useT } from '../../../i18n/use-t'
import { NumberField } from '../../../patterns/form/form-fields'
import { useFormSetting } from '../../../patterns/form/form-setting'
import { RadioCards } from '../../../ui/fields/RadioCards'
import { presetOf, presetValues, type ScheduleValues, type ToggledField } from './schedule-values'
import { ToggleField } from './ToggleField'
import { scheduleFieldNames, useScheduleValues } from './use-schedule-values'
import { useToggles } from './use-toggles'

const texts: Readonly<Record<ToggledField, readonly [label: Key<'protection'>, all: Key<'protection'>]>> = {
  day_of_week: ['schedule.weekdays', 'schedule.allWeekdays'],
  hour: ['schedule.hours', 'schedule.allHours'],
  day: ['schedule.days', 'schedule.allDays'],
  month: ['schedule.months', 'schedule.allMonths'],
}
/** In this order in the form. */
const shownFields = Object.keys(texts) as ToggledField[]
/** Least width of a toggle, in pixels. */
const widths: Readonly<Record<ToggledField, number>> = { day_of_week: 56, hour: 68, day: 36, month: 56 }
const dailyPresets = ['rotation-7', 'rotation-14'] as const satisfies readonly SchedulePreset[]

/** The schedule of a backup plan: a preset, or months, days and hours of the user's choice, and how much is kept. */
export function ScheduleFields() {
  const t = useT('protection')
  const { isBusy } = useFormSetting()
  const { setValue, clearErrors, trigger } = useFormContext()
  const { errors, isSubmitted } = useFormState()
  const values = useScheduleValues()
  const toggles = useToggles()
  const lastCustom = useRef<ScheduleValues>(undefined)
  const preset = presetOf(values)

  /** Choosing "Custom" again brings back the last values of the user. The first time, all lists are empty. */
  function choosePreset(next: SchedulePreset) {
    if (next === preset) return
    if (preset === 'custom') lastCustom.current = values
    const filled = (next === 'custom' ? lastCustom.current : undefined) ?? presetValues(next)
    clearErrors([...scheduleFieldNames])
    for (const name of scheduleFieldNames)
      setValue(name, filled[name], { shouldDirty: true, shouldValidate: isSubmitted })
  }
  function choose(field: ToggledField, chosen: number[]) {
    setValue(field, chosen, { shouldDirty: true, shouldTouch: true, shouldValidate: true })
    // whether a schedule ever runs also depends on the other lists
    if (field !== 'day' && errors['day'] !== undefined) void trigger('day')
  }
  const timeOfPreset = (id: SchedulePreset) => {
    const [hour] = presetValues(id).hour
    return toggles.items.hour.find((toggle) => toggle.id === hour)?.label
  }

  const messageOf = (field: string): string | undefined => {
    const error: FieldError | undefined = get(errors, field)
    return error?.message
  }
  return (
    <>
      <RadioCards<SchedulePreset>
        label={t('plans.schedule')}
        isGrid
        value={preset}
        onChange={choosePreset}
        isDisabled={isBusy}
        items={[
          ...dailyPresets.map((id) => ({
            id,
            label: t('schedule.daily', { count: presetValues(id).rotation }),
            description: t('schedule.dailyHelp', { time: timeOfPreset(id) }),
          })),
          { id: 'custom', label: t('schedule.custom'), description: t('schedule.customHelp') },
        ]}
      />
      {shownFields.map((field) => (
        <ToggleField
          key={field}
          label={t(texts[field][0])}
          allName={t(texts[field][1])}
          allLabel={t('schedule.all')}
          items={toggles.items[field]}
          value={values[field]}
          onChange={(chosen) => choose(field, chosen)}
          help={field === 'hour' ? toggles.hoursHelp : undefined}
          error={messageOf(field)}
          isDisabled={isBusy}
          width={widths[field]}
        />
      ))}
      <NumberField
        name="rotation"
        label={t('plans.rotation')}
        help={t('plans.rotationHelp', { least: MIN_ROTATION, most: MAX_ROTATION })}
        minValue={MIN_ROTATION}
        maxValue={MAX_ROTATION}
      />
    </>
  )
}
