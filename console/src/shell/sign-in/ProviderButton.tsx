import type { IdentityProvider } from '@mainstay/contract/identity/hand-over'
import { useT } from '../../i18n/use-t'
import { Button } from '../../ui/Button'
import { BadIcon } from '../../ui/icons'
import type { useProvider } from './use-provider'
import css from './sign-in.module.css'

export interface ProviderButtonProps {
  provider: IdentityProvider
  way: ReturnType<typeof useProvider>
  isMain?: boolean
}

/** Leads to an identity provider, and says why it could not. */
export function ProviderButton({ provider, way, isMain = false }: ProviderButtonProps) {
  const t = useT('shell')
  return (
    <>
      {way.fault && (
        <div className={css.problem} role="alert">
          <BadIcon />
          <span>{way.fault}</span>
        </div>
      )}
      <Button
        {...(isMain && { variant: 'primary' })}
        className={css.provider}
        isBusy={way.isBusy}
        isDisabled={way.isWaiting}
        onPress={() => void way.submit()}
      >
        {t('signIn.through', { provider: provider.name })}
      </Button>
    </>
  )
}
