import { useMemo } from 'react'
import * as z from 'zod'
import { useT } from '../../../i18n/use-t'
import { toast } from '../../../notices/notices'
import { Checkbox, NumberField, TextArea } from '../../../patterns/form/form-fields'
import { FormDialog } from '../../../patterns/form/FormDialog'
import { corsMethods, putCors, type CorsMethod, type CorsRule, type Held } from '../client/settings'
import css from './rules.module.css'

const DAY_SECONDS = 86_400

const linesIn = (text: string): string[] =>
  text
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '')
const stars = (text: string) => text.split('*').length - 1

interface CorsFormProps {
  bucket: string
  /** All rules as they were when the form opened; saving replaces all of them. */
  held: Held<CorsRule>
  /** The rule to edit; null for a new one. */
  rule: CorsRule | null
  onClose: (isDone: boolean) => void
}

/** Form for a CORS rule. */
export function CorsForm({ bucket, held, rule, onClose }: CorsFormProps) {
  const t = useT('objectStorage')
  const schema = useMemo(
    () =>
      z
        .object({
          origins: z.string(),
          methods: z.record(z.enum(corsMethods), z.boolean()),
          headers: z.string(),
          exposed: z.string(),
          maxAge: z.number().int().min(0).max(DAY_SECONDS).nullable(),
        })
        .superRefine((form, context) => {
          const fault = (path: string, message: string) => context.addIssue({ code: 'custom', path: [path], message })
          const origins = linesIn(form.origins)
          if (origins.length === 0) fault('origins', t('cors.originMissing'))
          if (origins.some((it) => stars(it) > 1)) fault('origins', t('cors.oneStar'))
          if (linesIn(form.headers).some((it) => stars(it) > 1)) fault('headers', t('cors.oneStar'))
          if (linesIn(form.exposed).some((it) => !/^[\w!#$%&'+.^`|~-]+$/.test(it)))
            fault('exposed', t('cors.headerName'))
          if (!corsMethods.some((method) => form.methods[method])) fault('origins', t('cors.methodMissing'))
        }),
    [t],
  )
  const methods = Object.fromEntries(
    corsMethods.map((method) => [method, rule ? rule.methods.includes(method) : method === 'GET']),
  ) as Record<CorsMethod, boolean>
  async function send(form: z.output<typeof schema>) {
    const made: CorsRule = {
      ...{ id: rule?.id ?? '', maxAge: form.maxAge },
      methods: corsMethods.filter((method) => form.methods[method]),
      ...{ origins: linesIn(form.origins), headers: linesIn(form.headers), exposed: linesIn(form.exposed) },
    }
    const { rules, document } = held
    await putCors(bucket, rule ? rules.map((it) => (it === rule ? made : it)) : [...rules, made], document)
    toast(t('cors.saved'))
  }
  return (
    <FormDialog
      title={t(rule ? 'cors.edit' : 'cors.add')}
      verb={t(rule ? 'cors.save' : 'cors.add')}
      schema={schema}
      start={{
        ...{ origins: rule?.origins.join('\n') ?? '', methods, headers: rule?.headers.join('\n') ?? '*' },
        ...{ exposed: rule?.exposed.join('\n') ?? 'ETag', maxAge: rule ? rule.maxAge : 3600 },
      }}
      send={send}
      onClose={onClose}
      code="none"
    >
      <TextArea
        name="origins"
        label={t('cors.origins')}
        help={t('cors.originsHelp')}
        placeholder="https://shop.example"
        rows={3}
        isMono
      />
      <fieldset className={css.choices}>
        <legend>{t('cors.methods')}</legend>
        {corsMethods.map((method) => (
          <Checkbox key={method} name={`methods.${method}`}>
            {method}
          </Checkbox>
        ))}
      </fieldset>
      <TextArea name="headers" label={t('cors.headers')} help={t('cors.headersHelp')} rows={2} isMono isOptional />
      <TextArea name="exposed" label={t('cors.exposed')} help={t('cors.exposedHelp')} rows={2} isMono isOptional />
      <NumberField
        name="maxAge"
        label={t('cors.maxAge')}
        help={t('cors.maxAgeHelp')}
        unit={t('cors.seconds')}
        minValue={0}
        maxValue={DAY_SECONDS}
        isOptional
      />
    </FormDialog>
  )
}
