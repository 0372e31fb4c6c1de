import { useId, useMemo, useState } from 'react'
import { useFormContext, useWatch } from 'react-hook-form'
import { securityGroupRules } from '@mainstay/contract/networking/security-group-rules'
import type { SecurityGroup } from '@mainstay/contract/networking/security-groups'
import { useCall } from '../../../api/use-call'
import { useT } from '../../../i18n/use-t'
import { notify } from '../../../notices/notices'
import { FormBody } from '../../../patterns/form/FormBody'
import { useForm } from '../../../patterns/form/use-form'
import { Select, TextField } from '../../../patterns/form/form-fields'
import { Button } from '../../../ui/Button'
import { withFields } from '../../../patterns/form/with-fields'
import { GroupChoice } from './GroupChoice'
import { ruleCalls, type Direction } from './rule-calls'
import { emptyRule, hasPorts, ruleDraft, ruleField, ruleForm, takesPorts, type RuleForm } from './rule-form'
import { RuleReach } from './RuleReach'
import { templates } from './rule-words'
import css from './security-groups.module.css'

interface SentenceFormProps {
  group: SecurityGroup
  direction: Direction
}

/** Adds a rule, which users enter as a sentence. */
export function SentenceForm(props: SentenceFormProps) {
  const [round, setRound] = useState(0)
  return <Form key={round} {...props} onAdded={() => setRound(round + 1)} />
}

function Form({ group, direction, onAdded }: SentenceFormProps & { onAdded: () => void }) {
  const t = useT('networking')
  const id = useId()
  const schema = useMemo(() => ruleForm(t, direction), [t, direction])
  const create = useCall(securityGroupRules.create, { refresh: ruleCalls })
  const state = useForm({
    schema: schema as never,
    start: emptyRule as never,
    send: (form: RuleForm) =>
      create.run({ body: ruleDraft(form, group.id, direction) }).catch(withFields((path) => ruleField(path, form))),
    done(rule: { id: string }) {
      if (group.security_group_rules.some((it) => it.id === rule.id))
        notify({ type: 'info', title: t('rules.isThere') })
      onAdded()
    },
  })
  return (
    <section className={css.adding} aria-label={t('rules.new')}>
      <FormBody state={state} id={id}>
        <Sentence direction={direction} />
        <div className={css.send}>
          <RuleReach group={group} direction={direction} />
          <Button variant="primary" type="submit" form={id} isBusy={state.isBusy}>
            {t('rules.add')}
          </Button>
        </div>
        {direction === 'ingress' && <Templates />}
      </FormBody>
    </section>
  )
}

function Sentence({ direction }: { direction: Direction }) {
  const t = useT('networking')
  const form = useWatch() as RuleForm
  const isIn = direction === 'ingress'
  return (
    <div className={css.line}>
      <span className={css.word}>{t(isIn ? 'rules.letIn' : 'rules.letOut')}</span>
      <Select
        name="protocol"
        label={t('rules.protocol')}
        items={[
          { id: 'any', label: t('rules.allTraffic') },
          { id: 'tcp', label: 'TCP' },
          { id: 'udp', label: 'UDP' },
          { id: 'icmp', label: 'ICMP' },
          { id: 'other', label: t('rules.other') },
        ]}
      />
      {form.protocol === 'other' && (
        <TextField name="other" label={t('rules.otherName')} placeholder="esp, 50" isMono />
      )}
      {takesPorts(form) && (
        <TextField
          name="ports"
          label={t(hasPorts(form) ? 'rules.portOrRange' : 'rules.typeAndCode')}
          placeholder={t('rules.any')}
          isMono
        />
      )}
      <Select
        name="remote"
        label={t(isIn ? 'rules.from' : 'rules.to')}
        items={[
          { id: 'anywhere', label: t('rules.anywhere') },
          { id: 'cidr', label: t('rules.range') },
          { id: 'group', label: t('rules.group') },
        ]}
      />
      {form.remote === 'cidr' && (
        <TextField
          name="cidr"
          label={t('rules.cidr')}
          placeholder={form.ethertype === 'IPv4' ? '10.0.0.0/8' : 'fd00::/8'}
          isMono
        />
      )}
      {form.remote === 'group' && <GroupChoice name="group" label={t('securityGroups.one')} />}
      <Select
        name="ethertype"
        label={t('rules.version')}
        items={[
          { id: 'IPv4', label: 'IPv4' },
          { id: 'IPv6', label: 'IPv6' },
        ]}
      />
    </div>
  )
}

function Templates() {
  const t = useT('networking')
  const { setValue } = useFormContext()
  return (
    <div className={css.templates}>
      <span className={css.dim}>{t('rules.templates')}</span>
      {templates.map(({ id, name, protocol, min }) => (
        <Button
          key={id}
          size="small"
          onPress={() => {
            setValue('protocol', protocol, { shouldDirty: true })
            setValue('ports', min === null ? '' : String(min), { shouldDirty: true, shouldValidate: true })
          }}
        >
          {min === null ? name : `${name} ${min}`}
        </Button>
      ))}
    </div>
  )
}
