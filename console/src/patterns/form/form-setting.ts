import { createContext, useContext } from 'react'

export interface FormSetting {
  /** The form is being sent; fields are disabled. */
  isBusy: boolean
  /** Names of fields that mask their input. */
  hidden?: Set<string>
}

export const FormSettingContext = createContext<FormSetting>({ isBusy: false })

export const useFormSetting = () => useContext(FormSettingContext)
