/** A post of the demo school, the oldest first. Days count back from now: a negative one is still to come. */
export interface DemoPost {
  slug: string
  title: string
  kind: 'article' | 'announcement'
  status: 'draft' | 'scheduled' | 'published'
  visibility: 'public' | 'members' | 'paid' | 'plans'
  /** Slug of the lecturer who wrote it. */
  author: string | null
  tags: readonly string[]
  daysAgo: number
  pinned: boolean
  text: string
}

const article = { kind: 'article', status: 'published', visibility: 'public', pinned: false } as const
const [marlo, tansy, ottoline, corvin, ilse, pim] = [
  'marlo-quillfeather',
  'tansy-brightwater',
  'ottoline-fernsby-vale',
  'corvin-ashgrove',
  'ilse-wrenfield',
  'pim-hollowell',
] as const

export const posts: readonly DemoPost[] = [
  {
    ...article,
    slug: 'doors-open-again',
    title: 'The doors open again',
    kind: 'announcement',
    author: null,
    tags: ['house'],
    daysAgo: 372,
    text: `The paint is dry, the long table stands where it stood, and the kettle works. From Monday on there is somebody in the house every day from nine.

Come and look before you decide. Nobody will sell you anything, though somebody may hand you a broom.

- The wheel room takes six people.
- The wood room takes five, because of the elbows.
- The paper room takes eight, and is always quiet.`,
  },
  {
    ...article,
    slug: 'what-the-first-firing-taught-us',
    title: 'What the first firing taught us',
    author: marlo,
    tags: ['kiln', 'clay'],
    daysAgo: 351,
    text: `We packed the kiln the way one packs a suitcase: too full, and with the heavy things on top. Nine pots came out as one pot.

The thermocouple had read forty degrees low all day. We knew that something was odd, because the cones had slumped an hour before the number said they should, and we believed the number.

So here is the lesson, and it cost us a shelf: **a cone has no battery**. If the cone and the display disagree, open the log, write both down, and trust the cone.

The nine-in-one pot stands beside the door now. It holds umbrellas.`,
  },
  {
    ...article,
    slug: 'a-vat-in-february',
    title: 'Starting a vat in February',
    author: tansy,
    tags: ['dye', 'winter'],
    daysAgo: 338,
    text: `Everybody asks for summer, and I say February. In a cold room the vat is slow, and slow is what you want while you are learning to read it.

Wrap the bucket in a blanket. Feed it little. Look at it in the morning before you look at anything else: the foam tells you more than the strip does. A coppery skin means it is awake. A grey one means that it would like to be left alone.

You will dip the first cloth after nine days, and it will come out the colour of a pigeon. Keep it. By April you will want to know how far you came.`,
  },
  {
    ...article,
    slug: 'why-we-teach-sharpening-first',
    title: 'Why we teach sharpening first',
    author: corvin,
    tags: ['wood', 'tools'],
    daysAgo: 320,
    text: `A blunt chisel needs strength, and strength slips. Most of the blood that I have seen in this room came off an edge that could not cut butter.

So the first evening is stones and water. People are a little disappointed; they came to build something. Then they take a shaving that you can read a newspaper through, and nobody asks any more.

Three stones are enough. Two, if you are patient. Spend what is left on coffee.`,
  },
  {
    ...article,
    slug: 'spring-timetable',
    title: 'Spring timetable',
    kind: 'announcement',
    author: null,
    tags: ['timetable'],
    daysAgo: 300,
    text: `From the first week of spring the rooms are used like this:

1. Mondays: wheel room, beginners.
2. Tuesdays: wheel room, everybody with a pot in progress.
3. Wednesdays: paper in the afternoon, wood in the evening.
4. Thursdays: the vat. Bring something to dye and something to wait with.
5. Fridays: the oven is on from six in the morning.

Saturdays stay open for those who have a bench. Sundays the house sleeps.`,
  },
  {
    ...article,
    slug: 'the-starter-in-the-fridge',
    title: 'Your starter is not dead',
    author: ilse,
    tags: ['bread'],
    daysAgo: 288,
    text: `It stands at the back of the fridge behind the mustard, there is a grey liquid on top, and it smells like a workshop. It is fine.

Pour the liquid off. Take a spoonful from the middle, where it is still pale. Give it equal weights of flour and water and put it somewhere warm. Do the same thing in the evening. On the third day it will lift a lid.

I have revived one after eleven weeks. The only starter that I ever lost was one that somebody cleaned.`,
  },
  {
    ...article,
    slug: 'five-structures-one-needle',
    title: 'Five structures, one needle',
    author: ottoline,
    tags: ['paper', 'sewing'],
    daysAgo: 270,
    text: `People arrive with a roll of tools from a shop. I ask them to put it under the table.

You need a needle with a dull point, linen thread, a bone folder and something straight. Everything in this course is made with that. The press is a plank and two bricks; the awl is the needle, pushed through a cork.

When you have sewn all five, buy one good tool, the one whose absence annoyed you most. It is never the one that you would have bought at first.`,
  },
  {
    ...article,
    slug: 'weeds-of-the-car-park',
    title: 'The weeds of the car park',
    author: pim,
    tags: ['drawing', 'plants'],
    daysAgo: 255,
    text: `Between bay four and the drain I counted seventeen species. Shepherd's purse, two plantains, a grass that I cannot name, and a poppy that has no business there.

Draw what is nearest. A plant that you pass every day will hold still for you longer than a rare one. It also grows back when a van has driven over it, which is a kind of second sitting.

Bring a cushion. The kerb is low.`,
  },
  {
    ...article,
    slug: 'glaze-tests-that-failed',
    title: 'Twelve glaze tests that failed, in order',
    author: marlo,
    tags: ['glaze', 'kiln'],
    daysAgo: 240,
    text: `One ran off the tile and glued it to the shelf. Two and three were the same recipe; I had weighed one of them with the bowl on. Four crawled, because the tile was dusty. Five was beautiful and is poisonous, so we do not speak of five.

Six to nine were too thin. Ten was right, and I forgot to write down what I had changed. Eleven and twelve are attempts to find ten again.

Weigh, write, then stir. In that order, every time, also on Fridays.`,
  },
  {
    ...article,
    slug: 'a-darn-is-a-drawing',
    title: 'A darn is a drawing',
    author: tansy,
    tags: ['repair', 'sewing'],
    daysAgo: 226,
    text: `You lay lines in one direction and then you answer them in the other. Where the cloth is thin the lines come closer; where it is strong they let go. That is shading.

Choose a thread that is a little lighter than the wool. It sinks as it is worn, and in a year it will be exactly right.

And leave the old darn in when you make a new one beside it. A jumper with four darns is a diary.`,
  },
  {
    ...article,
    slug: 'the-bench-that-does-not-wobble',
    title: 'The bench that does not wobble',
    author: corvin,
    tags: ['wood'],
    daysAgo: 210,
    text: `We tried shims, carpet, and a book about patience. Then we looked at the floor.

An old floor is a landscape. Find the three points where a plank lies still, mark them with chalk, and put three feet there. A bench with three feet cannot wobble; a bench with four can only be lucky.

Ours has stood since April. The chalk is still there, for when somebody sweeps too well.`,
  },
  {
    ...article,
    slug: 'how-we-price-a-bowl',
    title: 'How we price a bowl, for members',
    visibility: 'members',
    author: ottoline,
    tags: ['business'],
    daysAgo: 182,
    text: `Clay: sixty cents. Glaze: forty. A fifth of a firing: two euros ten. Then an hour and a quarter of somebody who has done this for nine years, and that is the whole question.

We say the price aloud to each other across the table. If the voice goes up at the end, it is too high for you, or too low for the bowl. Usually it is the second one.

The sheet with the sum is under your courses.`,
  },
  {
    ...article,
    slug: 'rye-for-the-brave',
    title: 'Rye, for the brave',
    author: ilse,
    tags: ['bread'],
    daysAgo: 168,
    text: `Rye does not stretch. Everything that you have learnt about windows and tension you can leave at the door; this is closer to masonry.

Wet hands, a wet scraper, a tin with straight sides. Fill it to two thirds, smooth it with the back of a spoon, and wait until the top cracks like a dry pond. Then bake it longer than you dare.

Do not cut it today. I know. Not tomorrow either.`,
  },
  {
    ...article,
    slug: 'madder-after-three-years',
    title: 'Madder, after three years',
    author: tansy,
    tags: ['dye', 'plants'],
    daysAgo: 150,
    text: `Today we dug the bed that we planted when there was no roof on the wood room. Three years for eleven kilos of root, and another two months until it is dry.

The first bath was orange. It always is; the red waits until the water is hard enough and the heat is low enough and you have stopped looking. We added chalk, went to lunch, and came back to it.

There is enough for everybody who comes to the Dye Walk. Bring wool. Cotton will sulk.`,
  },
  {
    ...article,
    slug: 'autumn-timetable',
    title: 'Autumn timetable',
    kind: 'announcement',
    author: null,
    tags: ['timetable'],
    daysAgo: 126,
    pinned: true,
    text: `It gets dark, and that suits us.

- Mondays and Tuesdays: clay, two groups.
- Wednesdays: the chair. The group is full; the waiting list is honest.
- Thursdays: mending by lamplight, seven to nine.
- Fridays: bread, from six. The first loaf is for whoever unlocks.
- First Friday of the month: the kiln is open to everybody.

The paper room is free in the mornings for those who have a bench.`,
  },
  {
    ...article,
    slug: 'steaming-a-bow',
    title: 'One minute to bend a bow',
    author: corvin,
    tags: ['wood', 'chair'],
    daysAgo: 112,
    text: `An hour in the steam, and then you have one minute. Sixty seconds between a stick and a chair back, and it takes two people who do not have to talk.

We walk through it cold first. You hold here, I pull there, the wedge lies on this side. Three times, with a watch. Then we open the box.

The ash that splits was always going to split: look along the grain before you steam it, not after.`,
  },
  {
    ...article,
    slug: 'safety-is-a-habit',
    title: 'Ten fingers in',
    author: corvin,
    tags: ['safety', 'house'],
    daysAgo: 98,
    text: `This year nobody was hurt beyond a plaster. We would like to do it again.

So, once more and with the same patience: sleeves, hair, shoes. The switch before the blade. If you are tired, sweep; sweeping is work too. If a thing jams, your hands go behind your back and your voice goes up.

The safety course is free, it takes an evening, and you may not use the benches without it. That goes for the teachers as well. I did mine in March.`,
  },
  {
    ...article,
    slug: 'what-melts-at-the-fair',
    title: 'Four days at the autumn fair',
    author: ottoline,
    tags: ['business', 'house'],
    daysAgo: 84,
    text: `We sold forty-one notebooks, nineteen bowls, and every loaf before ten. We did not sell the large vase, and it has come home and looks relieved.

What we learnt: clip the cloth on all four sides. Write prices so large that nobody has to ask. Bring a chair for the person who carries. And put the cheap thing in front, because it lets people pick something up.

Thank you to everybody who stood in the rain with us.`,
  },
  {
    ...article,
    slug: 'notes-on-a-slow-cooling',
    title: 'Notes on a slow cooling',
    visibility: 'paid',
    author: marlo,
    tags: ['kiln', 'glaze'],
    daysAgo: 70,
    text: `We fired the same tiles twice, once cooled as the kiln likes and once held back by fifty degrees an hour between 1050 and 850.

The iron glazes changed most: the brown one grew crystals that you can see without a glass. Cobalt did not care. The white went matt, and two people who had never agreed on anything agreed that it was better.

It costs six hours and about four euros of power. The whole schedule with the numbers is in the course, in the lesson about reading the kiln.`,
  },
  {
    ...article,
    slug: 'ink-that-lasts',
    title: 'Ink from the oak outside',
    author: pim,
    tags: ['drawing', 'plants'],
    daysAgo: 57,
    text: `Oak galls, rusty nails, a little gum. You crush, soak, strain and wait, and on the first day it writes like weak tea. By evening the line has gone black on the page, and it will be black when the page is not.

It eats steel nibs, so dip, wipe, dip. And it eats cheap paper, slowly, which one may see as a comment.

A jar of it stands on the window sill of the drawing room. Please write on it what you changed.`,
  },
  {
    ...article,
    slug: 'a-log-is-not-a-diary',
    title: 'A log is not a diary',
    author: marlo,
    tags: ['clay', 'kiln'],
    daysAgo: 44,
    text: `A diary says how you felt. A log says what you did, in an order in which somebody else could do it again.

Date, clay, thickness, what was different, what came out. Five words are enough. The important column is the fourth one; if it is empty, you have made the same pot twice and learnt nothing, or everything went well, and then you should write that.

I read mine from two winters ago last night. I was right about the copper.`,
  },
  {
    ...article,
    slug: 'open-evenings-in-winter',
    title: 'Open evenings in winter',
    kind: 'announcement',
    author: null,
    tags: ['house', 'timetable'],
    daysAgo: 24,
    pinned: true,
    text: `On the first Friday of each month the kiln room is open to everybody from six. There is soup. There is always too much soup.

You can see the kiln being unpacked, ask the questions that you did not dare to ask in class, and put your name down for a bench. Children are welcome where nothing is hot.

Places are counted, because the room is small: say that you are coming, and say so when you are not.`,
  },
  {
    ...article,
    slug: 'plans-for-the-second-kiln',
    title: 'Plans for the second kiln',
    visibility: 'plans',
    author: marlo,
    tags: ['kiln', 'house'],
    daysAgo: 12,
    text: `You who have the whole studio, or had faith before there was one, read this first.

The second kiln is ordered. It is smaller, it is electric, and it will stand where the umbrellas are. It means a glaze firing every week and not every third one, and it means that a test tile no longer waits for a full load.

It comes in spring, on a lorry that will not fit through the gate. We will need twelve people and some rollers. There is soup.`,
  },
  {
    ...article,
    slug: 'spring-courses-preview',
    title: 'What is coming in spring',
    kind: 'announcement',
    status: 'scheduled',
    author: null,
    tags: ['timetable'],
    daysAgo: -10,
    text: `Paper Marbling leaves the drawing board: eight places, four mornings, and an apron that you do not love.

There will be a second group for the chair, because the waiting list has grown a waiting list. And Pim comes back from the north with a box of seed heads and new opinions on hatching.

Members can put their names down a week before everybody else.`,
  },
  {
    ...article,
    slug: 'marbling-notes',
    title: 'Marbling: notes towards a course',
    status: 'draft',
    author: ottoline,
    tags: ['paper', 'colour'],
    daysAgo: 6,
    text: `Carrageen needs a night. Ox gall, or the other thing? Test both on the same bath.

To photograph: the rake at an angle, the comb, the moment in which the paper goes down. To leave out: anything that needs a tank that nobody has at home.`,
  },
  {
    ...article,
    slug: 'the-question-box',
    title: 'From the question box',
    status: 'draft',
    author: null,
    tags: ['house'],
    daysAgo: 3,
    text: `"Can I bring my dog?" Into the paper room, yes. Into the wood room he would have opinions on the shavings.

"Is it too late to start?" Our oldest beginner is eighty-one. She asks us whether it is too early.

More to come; there are nine slips left in the box.`,
  },
]
