/**
 * Words that guessers try first, in lower case and without surrounding digits and signs. They come from well-known lists of leaked
 * passwords. Longer lists are the task of a breach corpus, which this service does not query.
 */
export const commonWords: ReadonlySet<string> = new Set(
  `
  aaaaaa abc abcabc abcd abcde abcdef abcdefg abcdefgh abcxyz access account admin administrator adobe airborne airplane alexander
  alexandra alexis alison allison almighty amanda amazing america american anderson andrea andrew andromeda angel angela angelina angels
  animal anthony antonio apollo apple apples april arsenal arthur asdf asdfasdf asdfg asdfgh asdfghj asdfghjk asdfghjkl ashley august
  austin autumn awesome azerty azertyuiop babyboy babygirl backspace badboy badger bailey balance banana bananas bandit barbara barcelona
  barney baseball basketball batman beatles beautiful beauty benjamin berlin bertha beyonce bigdaddy bigdog billabong birdie birthday
  blackbird blackjack blackout blahblah blaster blessed blessing blink blizzard blonde blondie blueberry bluebird bluesky bonjour booboo
  boomer boston bradley brandon brandy braves brazil brittany broncos brooklyn brother bubba bubbles buddha buddy bulldog butterfly
  buttons calvin camaro cameron campbell canada cancer candy captain caramel carlos carolina caroline carpediem cartman casper cassandra
  cassie catherine celtic champion chance changeit changeme charles charlie charlotte cheese cheesecake chelsea cherry chester chevrolet
  chevy chicago chicken children chocolate chopper chris christ christian christina christine christmas christopher chronic cinderella
  classic claudia clayton cleopatra clinton cocacola coffee college colorado commander companion compaq complete computer connect connor
  control cookie cookies cooldude cooper corvette country courage course courses courtney cowboy cowboys creative cricket crystal cupcake
  cutiepie daddy daisy dakota dallas danger daniel danielle darkness darling darthvader david december default dell delta demo denise
  dennis denver destiny detroit devil diablo diamond diamonds digital dilbert direct discover dolphin dolphins dominic donald donkey
  doodle dotcom douglas dracula dragon dragonball dragons dreamer dreams driver drowssap dude eagle eagles earthquake eastside eclipse
  edward einstein electric element elephant elizabeth emerald eminem emmanuel engineer england enter enterprise entropy eric escape
  everton example excalibur exchange explorer express extreme faith falcon family fantasy father february federal fender ferrari fiction
  fiesta figaro film fire fireball firebird firefly fireman first fish fishing florida flower flowers fluffy flyers football forest
  forever formula forum france francis frank frankie freddy frederick freedom freeman french friday friend friends frodo frog froggy
  galaxy gandalf gangsta garden gareth garfield gateway gemini general genesis genius george georgia germany getmoney ghost giants gibson
  ginger girlfriend gizmo global godfather godzilla golden goldfish golfer goober goodluck goodness google gordon gorgeous graham grandma
  grandpa greatest green greenday gregory griffin guest guitar guitarist gunner hacker hahaha hahahaha hallo hamilton hammer hannah
  happiness happy hardcore harley harrison harry harvey hawaii heather heaven hello helloworld help helpme hockey holiday homer honda
  honey hongkong horizon hotdog hotmail hottie houston howard hummer hunter hunting iceman ilovegod iloveme iloveu iloveyou iloveyoubaby
  imagine inferno infiniti infinity insane internet invincible ireland irish isabel isabella israel jackie jackson jaguar jamaica jameson
  janine january japan jasmine jason jasper javascript jeffrey jennifer jeremy jerome jessica jessie jesus jesuschrist johnny johnson
  jonathan jordan joseph joshua jupiter justice justin justme karate katherine kathryn kawasaki kelly kenneth kermit kevin killer kimberly
  king kingdom kisses kitten kittens knight ladies lakers laptop laserjet lauren lawrence learn learner learning leather lebron lecturer
  legend legolas leonard leonardo letmein letmeinnow liberty lightning linkedin lionking little liverpool lizard login logitech london
  lonely longhorn looking lorenzo louise love lovelove lovely loveme lover loverboy lovers loveyou lucifer lucky lunchbox macintosh
  madison madonna maggie magic magnolia magnum manager manchester manutd marcus margaret maria marijuana marina marine mariposa mark
  marlboro marley marshall martin martina master masters matrix matthew maverick maxwell melanie melissa member memory mercedes mercury
  merlin messiah metallic metallica mexico michael michaela michelle mickey microsoft midnight military miller minecraft minnie miranda
  mistress mitchell mobile molly monday money monica monkey monkeys monopoly monster montana moonlight morgan morning mother motorola
  mountain movie muffin muhammad murphy music mustang myname myspace naruto nascar natalie natasha nathan nathaniel naughty ncc1701 nelson
  nemesis newlife newpass newpassword newport newyork nicholas nicole nikita ninja nintendo nirvana nissan nokia nothing november nuggets
  october octopus office oliver olivia online opensesame orange oranges orlando owner pa55w0rd pa55word packers pakistan panasonic pancake
  panda panther panthers paradise paris parker pass passion passme passphrase passw0rd passwd password passwordpassword passwords passwort
  patches patrick patriots peace peaches peanut pearljam pebbles penguin pepper peter phantom philip phoenix photo phpbb picture pineapple
  pink pirate pizza platinum playboy player playstation please pokemon poohbear pookie poop popcorn popeye porsche portugal power powers
  precious presario preston pretty prince princesa princess private professor project pumpkin purple qazwsx qazwsxedc qazxsw qqqqqqqq
  qwaszx qwe qweasd qweasdzxc qweqwe qwer qwerqwer qwert qwerty qwertyqwerty qwertyu qwertyui qwertyuiop qwertz qwertzuiop rabbit rachel
  racing raiders rainbow rainbows raindrop randy ranger rangers raymond reality rebecca rebel redhead redneck redskins redsox redwings
  remember richard robert roberto robin rocket rockstar rocky ronaldo rooster rosebud runescape running rush2112 russia sabrina sailor
  saints samantha samson samsung samuel sandra santiago sapphire sarah saturday saturn savage school schoolgate schools scooby scooter
  scorpio scorpion scotland scott seattle secret secrets security september serenity sergey server service shadow shadows shannon sharon
  shelby shopping shorty silver simple simpson simpsons skate skater skippy skywalker slayer slipknot smile smokey smoking smooth snickers
  sniper snoopy snowball snowboard snowman soccer sparky special speedy spencer spider spiderman spirit spongebob sport sports spring
  stalker stanley star starbucks stargate starlight startrek starwars steelers stephanie stephen steven stewart sticky stranger strawberry
  student students stupid success sugar summer summertime sunday sunflower sunny sunrise sunset sunshine super superman supernova
  superstar support surfer suzuki swordfish sydney sylvia system tacobell target taurus taylor teacher teachers teddybear temp temporary
  tennis teresa test testing testpass testtest thailand thebest thematrix theone thomas thunder thursday thx1138 tiffany tiger tigers
  tigger timothy tinkerbell titanic today tomato tomcat tommy toor topgun toronto toyota training transformers travel travis treasure
  trinity triumph trouble trustme trustno trustno1 tucker tuesday turtle tweety twilight twister tyler undertaker unicorn united universal
  universe unknown user username valentina valentine vampire vanessa vegeta velvet verbatim veronica victor victoria victory viking
  vincent violet viper virginia vision voyager walker walter warcraft warrior warriors water watermelon webmaster wednesday welcome
  westside whatever whiskey whisky william williams willow wilson windows winner winnie winston winter wizard wolverine wolves wonderful
  woody world worldcup worship wrestling xbox360 xxxxxxxx yamaha yankee yankees yellow yourmom yourname zachary zaqwsx zaqxsw zeppelin
  zidane zxcasd zxcasdqwe zxcv zxcvb zxcvbn zxcvbnm zzzzzzzz
  `
    .trim()
    .split(/\s+/),
)
