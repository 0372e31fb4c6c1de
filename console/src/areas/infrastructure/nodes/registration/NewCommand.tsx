import { useState } from 'react'
import { TOKEN_HOURS } from '@mainstay/contract/infrastructure/node-registration'
import type { CallProblem } from '../../../../api/problem'
import { problemText } from '../../../../api/problem-text'
import { useT } from '../../../../i18n/use-t'
import { Button } from '../../../../ui/Button'
import { Banner } from '../../../../ui/feedback/Banner'
import { NumberField } from '../../../../ui/fields/NumberField'
import css from './registration.module.css'

interface NewCommandProps {
  hasCommand: boolean
  problem: CallProblem | undefined
  isBusy: boolean
  onCreate: (hours: number) => void
}

/** Form that creates a registration command with a chosen validity. */
export function NewCommand({ hasCommand, problem, isBusy, onCreate }: NewCommandProps) {
  const t = useT('nodes')
  const shell = useT('shell')
  const [hours, setHours] = useState<number | null>(TOKEN_HOURS.default)
  return (
    <>
      {problem && <Banner tone="bad">{problemText(problem, shell)}</Banner>}
      <div className={css.create}>
        <NumberField
          label={t('add.hours')}
          unit={t('add.hoursUnit')}
          value={hours}
          onChange={setHours}
          minValue={TOKEN_HOURS.least}
          maxValue={TOKEN_HOURS.most}
          help={t('add.hoursHelp', { least: TOKEN_HOURS.least, most: TOKEN_HOURS.most })}
        />
        <Button
          variant={hasCommand ? 'quiet' : 'primary'}
          isBusy={isBusy}
          isDisabled={hours === null}
          onPress={() => hours !== null && onCreate(hours)}
        >
          {t(hasCommand ? 'add.createNew' : 'add.create')}
        </Button>
      </div>
      {hasCommand && <p className={css.dim}>{t('add.createNewHelp')}</p>}
    </>
  )
}
