import { useFormContext } from 'react-hook-form'
import { useT } from '../../../i18n/use-t'
import { useWatched } from '../../../patterns/form/use-watched'
import { Button } from '../../../ui/Button'
import { Banner } from '../../../ui/feedback/Banner'
import { Select } from '../../../ui/fields/Select'
import { TextField } from '../../../ui/fields/TextField'
import { IconButton } from '../../../ui/IconButton'
import { AddIcon, DeleteIcon } from '../../../ui/icons'
import { Panel } from '../../../ui/Panel'
import { SegmentedControl } from '../../../ui/SegmentedControl'
import { policyFault } from './check'
import { fieldsOf, statementOf, templates, withStatements, type FormStatement, type May } from './form-statements'
import css from './policy.module.css'
import { publicAccess, statementsOf, type Statement } from './summary'

const mays = ['read', 'list', 'write', 'change', 'full'] as const
const textOf: Readonly<Record<May, `policy.may${'Read' | 'List' | 'Write' | 'Change' | 'Full'}`>> = {
  read: 'policy.mayRead',
  list: 'policy.mayList',
  write: 'policy.mayWrite',
  change: 'policy.mayChange',
  full: 'policy.mayFull',
}

/** Form view of the policy statements. The JSON field is the source of truth: cards read from it and write to it. */
export function StatementCards({ bucket }: { bucket: string }) {
  const t = useT('objectStorage')
  const { setValue } = useFormContext()
  const json = useWatched<string>('json')
  const fault = policyFault(json)
  const statements = fault ? [] : statementsOf(json)
  const write = (next: readonly Statement[]) =>
    setValue('json', withStatements(json, next), { shouldDirty: true, shouldValidate: true })
  if (fault && fault.reason !== 'empty') return <Banner tone="idle">{t('policy.unreadable')}</Banner>
  return (
    <div className={css.cards} role="group" aria-label={t('policy.form')}>
      {statements.length === 0 && <p className={css.note}>{t('policy.noStatements')}</p>}
      {statements.map((statement, at) => (
        <StatementCard
          // statements have no unique ID
          key={at}
          number={at + 1}
          bucket={bucket}
          statement={statement}
          onChange={(next) => write(statements.with(at, next))}
          onRemove={() => write(statements.toSpliced(at, 1))}
        />
      ))}
      <div className={css.add}>
        <span className={css.addLabel}>
          <AddIcon />
          {t('policy.addStatement')}
        </span>
        {(['public', 'person', 'box', 'addresses'] as const).map((name) => (
          <Button key={name} size="small" onPress={() => write([...statements, statementOf(templates[name], bucket)])}>
            {t(`policy.add.${name}`)}
          </Button>
        ))}
      </div>
    </div>
  )
}

interface StatementCardProps {
  number: number
  bucket: string
  statement: Statement
  onChange: (next: Statement) => void
  onRemove: () => void
}

function StatementCard({ number, bucket, statement, onChange, onRemove }: StatementCardProps) {
  const t = useT('objectStorage')
  const fields = fieldsOf(statement, bucket)
  const sid = typeof statement.Sid === 'string' ? statement.Sid : ''
  return (
    <Panel
      title={t('policy.statement', { number })}
      count={sid === '' ? undefined : <bdi>{sid}</bdi>}
      action={
        <IconButton icon={DeleteIcon} size="small" label={t('policy.removeStatement', { number })} onPress={onRemove} />
      }
    >
      {fields ? (
        <Fields fields={fields} onChange={(change) => onChange(statementOf({ ...fields, ...change }, bucket))} />
      ) : (
        <p className={css.note}>{t('policy.statementOther')}</p>
      )}
    </Panel>
  )
}

interface FieldsProps {
  fields: FormStatement
  onChange: (change: Partial<FormStatement>) => void
}

function Fields({ fields, onChange }: FieldsProps) {
  const t = useT('objectStorage')
  const { effect, who, may, prefix, addresses } = fields
  const isOpen = effect === 'Allow' && who === '*' && addresses === ''
  const { isReadable, isWritable } = publicAccess(JSON.stringify({ Statement: isOpen ? statementOf(fields, 'b') : [] }))
  return (
    <div className={css.fields}>
      <div className={css.line}>
        <span className={css.label}>{t('policy.effect')}</span>
        <SegmentedControl<'Allow' | 'Deny'>
          label={t('policy.effect')}
          value={effect}
          onChange={(next) => onChange({ effect: next })}
          items={[
            { id: 'Allow', label: t('policy.effectAllow') },
            { id: 'Deny', label: t('policy.effectDeny') },
          ]}
        />
      </div>
      <Select<'anyone' | 'person'>
        label={t('policy.who')}
        value={who === '*' ? 'anyone' : 'person'}
        onChange={(next) => onChange({ who: next === 'anyone' ? '*' : '' })}
        items={[
          { id: 'anyone', label: t('policy.whoAnyone') },
          { id: 'person', label: t('policy.whoPerson') },
        ]}
      />
      {who !== '*' && (
        <TextField
          label={t('policy.person')}
          help={t('policy.personHelp')}
          value={who}
          onChange={(text) => onChange({ who: text.trim() })}
          placeholder="arn:aws:iam:::user/…"
          isMono
        />
      )}
      <Select<May>
        label={t('policy.may')}
        value={may}
        onChange={(next) => onChange({ may: next, ...(next === 'full' && { prefix: '' }) })}
        items={mays.map((id) => ({ id, label: t(textOf[id]) }))}
      />
      {may !== 'full' && (
        <TextField
          label={t('policy.prefix')}
          help={t('policy.prefixHelp')}
          value={prefix}
          onChange={(text) => onChange({ prefix: text.replaceAll(/[*?]/g, '') })}
          isMono
        />
      )}
      <TextField
        label={t('policy.addresses')}
        help={t('policy.addressesHelp')}
        value={addresses}
        onChange={(text) => onChange({ addresses: text })}
        isMono
      />
      {isReadable && <Banner tone="warn">{t('policy.openRead')}</Banner>}
      {isWritable && <Banner tone="warn">{t('policy.openWrite')}</Banner>}
    </div>
  )
}
