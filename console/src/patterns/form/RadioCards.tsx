import { RadioCards as Primitive, type RadioCardsProps as Props } from '../../ui/fields/RadioCards'
import { useBound } from './use-bound'

/** `RadioCards` of a form, by name. */
export const RadioCards = <Id extends string>(
  props: Omit<Props<Id>, 'value' | 'onChange' | 'error' | 'isDisabled'> & { name: string },
) => <Primitive<Id> {...props} {...useBound<Id>(props.name)} />
