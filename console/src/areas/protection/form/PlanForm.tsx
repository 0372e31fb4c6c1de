import { use, useId, useMemo } from 'react'
import type { BackupPlan } from '@mainstay/contract/protection/backup-plans'
import { useT } from '../../../i18n/use-t'
import { IframeContext } from '../../../nav/iframe'
import { useAppNavigate } from '../../../nav/use-app-navigate'
import { FormBody } from '../../../patterns/form/FormBody'
import { Checkbox, TextArea, TextField } from '../../../patterns/form/form-fields'
import { useForm } from '../../../patterns/form/use-form'
import { withFields } from '../../../patterns/form/with-fields'
import { Page } from '../../../patterns/Page'
import { ShowCode } from '../../../patterns/twin/ShowCode'
import { useBackupCapabilities } from '../../../patterns/use-backup-capabilities'
import { Button } from '../../../ui/Button'
import { ScheduleFields } from '../schedule/ScheduleFields'
import { SchedulePreview } from '../schedule/SchedulePreview'
import { FormEstimate } from './FormEstimate'
import { planField, planForm, type PlanValues } from './plan-form'
import css from './PlanForm.module.css'

interface PlanFormProps {
  title: string
  verb: string
  start: PlanValues
  send: (values: PlanValues) => Promise<BackupPlan>
  /** The plan that is edited. */
  plan?: BackupPlan
  /** Path of the form, if its input should be kept on this device until it is sent. */
  draftAt?: string | undefined
  /** Path to open on cancel. */
  closeTo: string
  /** Path to open on success. */
  doneTo: (plan: BackupPlan) => string
}

const none: readonly string[] = []

/** Creates or edits a backup plan, with the next runs beside the fields. */
export function PlanForm({ title, verb, start, send, plan, draftAt, closeTo, doneTo }: PlanFormProps) {
  const t = useT('protection')
  const patterns = useT('patterns')
  const go = useAppNavigate()
  const id = useId()
  const end = use(IframeContext)
  const canTest = useBackupCapabilities()?.machines ?? false
  const schema = useMemo(() => planForm(t), [t])
  const state = useForm({
    schema,
    start,
    send: (values: PlanValues) => send(values).catch(withFields(planField)),
    draftAt: end ? undefined : draftAt,
    done: (saved) => (end ? end('done', saved.id) : go(doneTo(saved), { replace: true })),
  })
  const cancel = () => (end ? void state.mayClose().then((may) => may && end('cancel')) : go(closeTo))
  return (
    <Page title={title}>
      <FormBody state={state} id={id} code="none" isWide>
        <div className={css.place}>
          <div className={css.parts}>
            <div className={css.fields}>
              <TextField name="name" label={t('plans.name')} autoFocus />
              <TextArea name="description" label={t('plans.description')} isOptional rows={2} />
              <ScheduleFields />
              <Checkbox name="enabled" help={t('plans.enabledHelp')}>
                {t('plans.enabled')}
              </Checkbox>
              {canTest && (
                <Checkbox name="test_restore" help={t('plans.testWeeklyHelp')}>
                  {t('plans.testWeekly')}
                </Checkbox>
              )}
            </div>
            <aside className={css.aside}>
              <SchedulePreview />
              <FormEstimate volumeIds={plan?.volume_ids ?? none} projectId={plan?.project_id} />
            </aside>
            <div className={css.end}>
              <ShowCode dryCalls={state.dryCalls} />
              <div className={css.foot}>
                <Button onPress={cancel} isDisabled={state.isBusy}>
                  {patterns('cancel')}
                </Button>
                <Button variant="primary" type="submit" isBusy={state.isBusy}>
                  {verb}
                </Button>
              </div>
            </div>
          </div>
        </div>
      </FormBody>
    </Page>
  )
}
