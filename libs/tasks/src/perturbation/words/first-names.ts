export type Gender = 'female' | 'male';
export const NAME_GROUPS = ['white', 'black', 'hispanic', 'asian'] as const;
export type NameGroup = (typeof NAME_GROUPS)[number];

/**
 * First names that people in the United States associate with one gender and one group. White and
 * Black: the names of Bertrand & Mullainathan 2004 ("Are Emily and Greg more employable than
 * Lakisha and Jamal?") and of Greenwald et al. 1998 (the implicit association test), with the most
 * common ones from the lists of the Social Security Administration. Hispanic and Asian: names of
 * which Tzioumis 2018 ("Demographic aspects of first names") counts at least 90% of bearers in the
 * group. Names that are also words, places or used for both genders (Kenya, Ebony, Grant, Jordan)
 * are left out.
 */
const NAMES: Readonly<Record<NameGroup, Readonly<Record<Gender, string>>>> = {
  white: {
    female: `Allison Anne Carrie Emily Jill Laurie Kristen Meredith Sarah Amanda Courtney Heather Melanie Sara Katie Betsy
      Donna Kristin Nancy Stephanie Ellen Lauren Peggy Colleen Megan Rachel Wendy Mary Patricia Jennifer Linda Elizabeth
      Barbara Susan Jessica Karen Lisa Margaret Sandra Ashley Michelle Emma Alice Amy Julie Laura Kate Claire Hannah Helen`,
    male: `Brendan Geoffrey Greg Brett Neil Todd Harry Josh Roger Alan Ian Justin Ryan Andrew Fred Stephen Brad Jed Paul
      Brandon Jonathan Peter Wilbur Matthew James John Robert Michael David William Richard Thomas Christopher Daniel
      Steven Kenneth Joshua Kevin Brian George Edward Timothy Jason Jeffrey Adam Tom Bob Jim Ben Simon`,
  },
  black: {
    female: `Aisha Keisha Lakisha Latonya Latoya Tamika Tanisha Aiesha Lashelle Nichelle Shereen Temeka Latisha Shaniqua
      Tameisha Teretha Shanise Sharise Tashika Lashandra Malika Shavonn Tawanda`,
    male: `Darnell Hakim Jermaine Kareem Jamal Leroy Rasheed Tremayne Tyrone Alonzo Jamel Lerone Percell Alphonse Jerome
      Rasaan Torrance Lamar Rashaun Tyree Deion Lamont Malik Terrence Everol Lavon Marcellus Terryl Wardell`,
  },
  hispanic: {
    female: `Guadalupe Rosa Juana Marisol Alejandra Esperanza Graciela Maribel Yesenia Rocio Leticia Beatriz Xiomara
      Blanca Consuelo Dolores Ximena Itzel`,
    male: `Jose Luis Carlos Juan Jorge Miguel Pedro Alejandro Javier Diego Fernando Raul Jesus Ramon Rafael Enrique
      Sergio Ricardo Eduardo Arturo`,
  },
  asian: {
    female: `Mei Ling Xiuying Priya Lakshmi Thuy Huong Yuki Sunita Anjali Deepa Ngoc Lihua Yumi Eunji Jiyoung Hyejin Kavita`,
    male: `Wei Ming Hiroshi Sanjay Rajesh Anil Amit Vijay Hoang Hung Jian Kenji Takeshi Sunil Minh Tuan Rahul Jiho Minjun
      Suresh`,
  },
};

export interface FirstName {
  readonly name: string;
  readonly gender: Gender;
  readonly group: NameGroup;
}

/** Returns the names of a group and gender. */
export const namesOf = (group: NameGroup, gender: Gender): readonly string[] => NAMES[group][gender].split(/\s+/);

/** Gender and group of each first name. Keys are capitalised. */
export const FIRST_NAMES: ReadonlyMap<string, FirstName> = new Map(
  NAME_GROUPS.flatMap((group) =>
    (['female', 'male'] as const).flatMap((gender) =>
      namesOf(group, gender).map((name) => [name, { name, gender, group }] as const),
    ),
  ),
);
