import {
  modeField,
  type MaintenanceCheck,
  type MaintenancePrecheck,
} from '@mainstay/contract/infrastructure/node-maintenance'
import { saidText } from '../../../../i18n/said'
import { useT } from '../../../../i18n/use-t'
import { SmallTable } from '../../../../patterns/table/SmallTable'
import { Select } from '../../../../ui/fields/Select'
import type { Tone } from '../../../../ui/tone'
import { StatusBadge } from '../../../../ui/values/StatusBadge'
import { chosenChecks, modesOf, type Modes } from './checks'
import css from './maintenance.module.css'

const tones: Readonly<Record<MaintenanceCheck['result'], Tone>> = { ok: 'ok', warning: 'warn', blocked: 'bad' }

interface PrecheckTableProps {
  precheck: MaintenancePrecheck
  modes: Modes
  onChoose: (change: Partial<Modes>) => void
}

/**
 * Table with a row for each service of the node: the effect of maintenance, the chosen mode, and whether it is
 * possible.
 */
export function PrecheckTable({ precheck, modes, onChoose }: PrecheckTableProps) {
  const t = useT('nodes')
  return (
    <SmallTable
      label={t('maintenance.checks')}
      rows={chosenChecks(precheck, modes)}
      keyOf={({ service }) => service}
      isStacked
      columns={[
        {
          id: 'service',
          label: t('serviceName'),
          render: ({ service }) => <span className={css.service}>{t(`maintenance.service.${service}`)}</span>,
        },
        {
          id: 'mode',
          label: t('maintenance.how'),
          render: ({ service, mode }) => {
            const offered = modesOf(precheck, service)
            if (offered.length < 2) return t(`maintenance.mode.${mode}`)
            return (
              <Select
                label={t('maintenance.howOf', { service: t(`maintenance.service.${service}`) })}
                isLabelHidden
                className={css.mode}
                value={mode}
                onChange={(chosen) => onChoose({ [modeField(service)]: chosen })}
                items={offered.map((id) => ({ id, label: t(`maintenance.mode.${id}`) }))}
              />
            )
          },
        },
        {
          id: 'effect',
          label: t('maintenance.effect'),
          render: (check) => <div className={css.effect}>{saidText(check, check.message)}</div>,
        },
        {
          id: 'result',
          label: t('maintenance.check'),
          render: ({ result }) => <StatusBadge tone={tones[result]}>{t(`maintenance.result.${result}`)}</StatusBadge>,
        },
      ]}
    />
  )
}
